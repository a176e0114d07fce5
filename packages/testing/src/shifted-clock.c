/* Preloaded into a server so that its wall clock runs ahead of the machine's, and each sync of a file takes longer, by
 * the two numbers of milliseconds in the file SHIFTED_CLOCK_FILE (native 64-bit integers). The calls go straight to
 * the kernel, because jemalloc asks for the time before symbols of the C library can be looked up. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead_ms;
static volatile int64_t *sync_ms;

__attribute__((constructor)) static void map_clock_file(void) {
  const char *path = getenv("SHIFTED_CLOCK_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) abort();
  void *page = mmap(NULL, 2 * sizeof *ahead_ms, PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) abort();
  ahead_ms = page;
  sync_ms = ahead_ms + 1;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || ahead_ms == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t nanoseconds = time->tv_sec * INT64_C(1000000000) + time->tv_nsec + *ahead_ms * INT64_C(1000000);
  time->tv_sec = nanoseconds / INT64_C(1000000000);
  time->tv_nsec = nanoseconds % INT64_C(1000000000);
  return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}

int fdatasync(int file) {
  if (sync_ms != NULL && *sync_ms > 0) usleep((useconds_t)(*sync_ms * 1000));
  return (int)syscall(SYS_fdatasync, file);
}
