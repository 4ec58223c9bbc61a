// The CPU time of this process, and a limit on it.
#pragma once

#include <ctime>

namespace ceps {

inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A limit that counts from its construction. Asking costs a system call: ask every hundred microseconds or so.
class CpuLimit {
public:
    explicit CpuLimit(double seconds) : end_(cpu_seconds() + seconds) {}

    bool reached() const { return cpu_seconds() >= end_; }

private:
    double end_;
};

}  // namespace ceps
