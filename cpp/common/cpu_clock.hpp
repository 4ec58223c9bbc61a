// The CPU time of this process, and a limit on it.
#pragma once

#include <chrono>
#include <ctime>

namespace ceps {

inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A limit that counts from its construction, for the one thread that works in this process.
//
// The CPU clock is a system call away, the wall clock is not; and one thread does not use CPU time faster than time
// passes. So the CPU clock is asked only when the limit may have been reached by the wall clock.
class CpuLimit {
public:
    explicit CpuLimit(double seconds) : end_(cpu_seconds() + seconds) {}

    bool reached() const {
        const auto now = Wall::now();
        if (now < not_before_) return false;
        const double left = end_ - cpu_seconds();
        if (left <= 0.0) return true;
        // Not beyond an hour, which any clock can count.
        const std::chrono::duration<double> wait(left < 3600.0 ? left : 3600.0);
        not_before_ = now + std::chrono::duration_cast<Wall::duration>(wait);
        return false;
    }

private:
    using Wall = std::chrono::steady_clock;

    double end_;
    mutable Wall::time_point not_before_{};
};

}  // namespace ceps
