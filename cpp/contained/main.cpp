// Runs one program and leaves nothing of it behind: not when it ends, not when its time is up, not when whoever asked
// for it is gone. A process of its own, because only a parent can adopt what a program leaves behind, and because it
// must outlive a driver that is killed. Written for `ceps.commands.call`, which knows the arguments and the report.
//
// contained PARENT REPORT SECONDS CPU DATA FILE PROGRAM WORD...
//   PARENT   the process that must be this one's parent; when it ends, so does everything here
//   REPORT   descriptor that is told how it went: "ended STATUS" (negative for a signal), "late 0", or "refused ERRNO"
//   SECONDS  on the clock on the wall; CPU, DATA and FILE are limits of the kernel's for each process
//   PROGRAM  a path; the words are its arguments, the first of them its name

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "common/process_tree.hpp"

namespace {

struct Limits {
    double seconds;
    rlim_t cpu, data, file;
};

double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void limit(__rlimit_resource kind, rlim_t most) {
    rlimit allowed;
    getrlimit(kind, &allowed);
    const rlim_t least = std::min(most, allowed.rlim_max);  // "No limit" is the largest number.
    allowed = {least, least};
    setrlimit(kind, &allowed);
}

// Starts the program in a session of its own. Returns its process, or 0 with `errno` when it cannot be started.
pid_t start(char** words, const Limits& limits, const sigset_t& mask) {
    const pid_t self = getpid();
    volatile int failure = 0;
    const pid_t process = vfork();  // The child has our memory until it is the program: that is how `failure` is told.
    if (process == 0) {
        ceps::die_with_parent();
        if (getppid() != self) _exit(1);
        setsid();
        limit(RLIMIT_CPU, limits.cpu);
        limit(RLIMIT_DATA, limits.data);
        limit(RLIMIT_FSIZE, limits.file);
        limit(RLIMIT_CORE, 0);
        sigprocmask(SIG_SETMASK, &mask, nullptr);
        execv(words[0], words + 1);
        failure = errno;
        _exit(127);
    }
    if (process > 0 && failure == 0) return process;
    if (process > 0) waitpid(process, nullptr, 0);
    if (process > 0) errno = failure;
    return 0;
}

// Waits for all that has ended. Returns whether the program is among it, and then its status.
bool reap(pid_t program, int& status) {
    bool found = false;
    int told;
    for (pid_t process; (process = waitpid(-1, &told, WNOHANG)) > 0;) {
        if (process != program) continue;
        found = true;
        status = WIFSIGNALED(told) ? -WTERMSIG(told) : WEXITSTATUS(told);
    }
    return found;
}

// What is stopped cannot fork, so stopping first ends the chase.
void kill_everything() {
    for (std::vector<pid_t> below; !(below = ceps::usage_below(getpid(), 0).processes).empty();) {
        std::set<pid_t> stopped;
        for (bool more = true; more; below = ceps::usage_below(getpid(), 0).processes) {
            more = false;
            for (const pid_t process : below)
                if (stopped.insert(process).second) {
                    kill(process, SIGSTOP);
                    more = true;
                }
        }
        for (const pid_t process : stopped) kill(process, SIGKILL);
        waitpid(-1, nullptr, 0);
    }
}

}  // namespace

int main(int count, char** words) {
    if (count < 9) return 2;
    const int report = std::atoi(words[2]);
    const Limits limits = {std::atof(words[3]), std::strtoull(words[4], nullptr, 10),
                           std::strtoull(words[5], nullptr, 10), std::strtoull(words[6], nullptr, 10)};
    fcntl(report, F_SETFD, FD_CLOEXEC);

    // All there is to wait for comes as a signal: the program's end, and that nobody wants it any more.
    sigset_t awaited, before;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    signal(SIGCHLD, SIG_DFL);
    ceps::adopt_orphans();
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != std::atoi(words[1])) return 1;  // It ended before it was watched.

    const double end = now() + limits.seconds;
    const pid_t program = start(words + 7, limits, before);
    if (program == 0) {
        dprintf(report, "refused %d\n", errno);
        return 0;
    }
    int status = 0;
    bool ended = false, wanted = true;
    for (double left; !ended && wanted && (left = end - now()) > 0;) {
        const double whole = std::floor(left);
        const timespec pause = {static_cast<time_t>(whole), static_cast<long>(1e9 * (left - whole))};
        wanted = sigtimedwait(&awaited, nullptr, &pause) != SIGTERM;
        ended = reap(program, status);
    }
    kill_everything();
    if (wanted) dprintf(report, ended ? "ended %d\n" : "late %d\n", status);
}
