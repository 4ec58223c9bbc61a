// Runs one program and leaves nothing of it behind: not when it ends, not when its time is up, not when whoever asked
// for it is gone. A process of its own, because only a parent can adopt what a program leaves behind, and because it
// must outlive a driver that is killed. Written for `ceps.commands.call`, which knows the arguments and the report.
//
// contained PARENT REPORT CPU WALL DATA FILE PROGRAM WORD...
//   PARENT   the process that must be this one's parent; when it ends, so does everything here
//   REPORT   descriptor that is told how it went: "ended STATUS" (negative for a signal), "refused ERRNO", "late 0" when
//            CPU seconds were used up by all of it together, or "waited 0" when WALL seconds went by before
//   DATA and FILE are limits of the kernel's for each process
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
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "common/process_tree.hpp"

namespace {

constexpr double look = 0.05;  // Seconds between two looks at what is used.

struct Limits {
    double cpu, wall;
    rlim_t data, file;
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
        limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu) + 2);  // Should this process be held up.
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

// CPU seconds of all that was started, ended or not.
double used() {
    rusage ended;
    getrusage(RUSAGE_CHILDREN, &ended);
    const auto seconds = [](const timeval& time) { return time.tv_sec + 1e-6 * time.tv_usec; };
    return seconds(ended.ru_utime) + seconds(ended.ru_stime) + ceps::usage_below(getpid(), 0).cpu_seconds;
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
    const Limits limits = {std::atof(words[3]), std::atof(words[4]),
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

    const double end = now() + limits.wall;
    const pid_t program = start(words + 7, limits, before);
    if (program == 0) {
        dprintf(report, "refused %d\n", errno);
        return 0;
    }
    int status = 0;
    bool ended = false, wanted = true, late = false;
    for (double left; !ended && wanted && !late && (left = end - now()) > 0;) {
        const timespec pause = {0, static_cast<long>(1e9 * std::min(left, look))};
        wanted = sigtimedwait(&awaited, nullptr, &pause) != SIGTERM;
        ended = reap(program, status);
        late = !ended && used() >= limits.cpu;
    }
    kill_everything();
    if (wanted) dprintf(report, ended ? "ended %d\n" : late ? "late %d\n" : "waited %d\n", status);
}
