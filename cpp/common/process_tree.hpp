// What a run really uses, asked of the kernel: the processes below one process, their CPU time and memory.
#pragma once

#include <sys/types.h>

#include <vector>

namespace ceps {

struct TreeUsage {
    double cpu_seconds = 0.0;       // user + system, of living processes and of the children they have waited for
    long long memory_bytes = 0;     // resident anonymous and shared memory; program text and files do not count
    std::vector<pid_t> processes;   // every living descendant, parents before children
};

// CPU time of one process's own threads, to the nanosecond; 0 when it is gone.
double own_cpu_seconds(pid_t process);

// Sums over all descendants of `root`, without `root` itself and without `excepted` and what is below it (0: no such
// exception). Zombies are listed until they are waited for.
TreeUsage usage_below(pid_t root, pid_t excepted);

// Orphans of our descendants become our children, so that they can be found, killed, waited for and measured.
void adopt_orphans();

// Asks the kernel to send SIGKILL to the calling process when the thread that forked it ends.
void die_with_parent();

}  // namespace ceps
