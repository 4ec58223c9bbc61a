#include "common/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace ceps {
namespace {

// Files under /proc are produced on read: one buffer, one or two reads, no stream objects.
// Returns an empty string when the process is gone.
std::string read_proc_file(const char* path) {
    std::string content;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return content;
    char buffer[4096];
    ssize_t count;
    while ((count = read(file, buffer, sizeof buffer)) > 0) content.append(buffer, static_cast<size_t>(count));
    close(file);
    return content;
}

// Fields of /proc/PID/stat after the command name, which may itself hold spaces and parentheses.
// Field 0 of the result is the state (field 3 of proc(5)).
const char* after_command_name(const std::string& stat) {
    const size_t closing = stat.rfind(')');
    return closing == std::string::npos ? nullptr : stat.c_str() + closing + 2;
}

std::string stat_of(pid_t process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/stat", process);
    return read_proc_file(path);
}

double waited_children_cpu_seconds(pid_t process) {
    static const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    const std::string stat = stat_of(process);
    const char* fields = after_command_name(stat);
    if (!fields) return 0.0;
    long cutime = 0, cstime = 0;
    // state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime
    std::sscanf(fields, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %ld %ld", &cutime, &cstime);
    return static_cast<double>(cutime + cstime) / ticks_per_second;
}

long long kilobytes_after(const std::string& status, const char* key) {
    const size_t at = status.find(key);
    return at == std::string::npos ? 0 : std::atoll(status.c_str() + at + std::strlen(key));
}

long long resident_bytes(pid_t process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/status", process);
    const std::string status = read_proc_file(path);
    return 1024 * (kilobytes_after(status, "RssAnon:") + kilobytes_after(status, "RssShmem:"));
}

// Calls visit(number) for every entry of a directory whose name is a number.
template <class Visit>
void for_each_number_in(const char* directory, Visit visit) {
    DIR* entries = opendir(directory);
    if (!entries) return;
    while (const dirent* entry = readdir(entries))
        if (std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) visit(std::atoi(entry->d_name));
    closedir(entries);
}

void append_children_by_thread(pid_t process, std::vector<pid_t>& found) {
    char directory[64];
    std::snprintf(directory, sizeof directory, "/proc/%d/task", process);
    for_each_number_in(directory, [&](int thread) {
        char path[96];
        std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
        const std::string children = read_proc_file(path);
        const char* at = children.c_str();
        char* end = nullptr;
        for (long child = std::strtol(at, &end, 10); end != at; child = std::strtol(at, &end, 10)) {
            found.push_back(static_cast<pid_t>(child));
            at = end;
        }
    });
}

// Kernels built without CONFIG_PROC_CHILDREN: look at the parent of every process there is.
void append_children_by_parent(pid_t process, std::vector<pid_t>& found) {
    for_each_number_in("/proc", [&](int candidate) {
        const std::string stat = stat_of(candidate);
        const char* fields = after_command_name(stat);
        int parent = 0;
        if (fields && std::sscanf(fields, "%*c %d", &parent) == 1 && parent == process) found.push_back(candidate);
    });
}

void append_children(pid_t process, std::vector<pid_t>& found) {
    static const bool kernel_lists_children = access("/proc/thread-self/children", F_OK) == 0;
    if (kernel_lists_children)
        append_children_by_thread(process, found);
    else
        append_children_by_parent(process, found);
}

void set_process_control(int option, unsigned long value) {
    if (prctl(option, value, 0, 0, 0) != 0) throw std::system_error(errno, std::generic_category(), "prctl");
}

}  // namespace

double own_cpu_seconds(pid_t process) {
    clockid_t clock;
    timespec spent;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &spent) != 0) return 0.0;
    return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

TreeUsage usage_below(pid_t root, pid_t excepted) {
    TreeUsage usage;
    append_children(root, usage.processes);
    std::erase(usage.processes, excepted);
    for (size_t next = 0; next < usage.processes.size(); ++next) {
        const pid_t process = usage.processes[next];
        usage.cpu_seconds += own_cpu_seconds(process) + waited_children_cpu_seconds(process);
        usage.memory_bytes += resident_bytes(process);
        append_children(process, usage.processes);
    }
    return usage;
}

void adopt_orphans() { set_process_control(PR_SET_CHILD_SUBREAPER, 1); }

void die_with_parent() { set_process_control(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace ceps
