/* A clock on the wall that is set by years, back or forth, whenever somebody looks at it. Loaded before the C library
   (LD_PRELOAD), for a process and all that it starts. All other clocks are as they are. */

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t jump(void) {
    static unsigned looks;
    unsigned look = __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED);
    return ((time_t)(look * 7 % 41) - 20) * 365 * 24 * 3600;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    long failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
    return (int)failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    long failed = syscall(SYS_gettimeofday, now, zone);
    if (!failed) now->tv_sec += jump();
    return (int)failed;
}

time_t time(time_t *now) {
    struct timespec seen;
    clock_gettime(CLOCK_REALTIME, &seen);
    if (now) *now = seen.tv_sec;
    return seen.tv_sec;
}
