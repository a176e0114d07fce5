/* Preloaded into a Redis server, this library lets the disk of its append-only file fail in the middle of a write,
 * while the file FAILING_WRITES_FILE holds a number of percent (a native 64-bit integer): the next write stores this
 * share of its bytes, later ones fail, and the file cannot be cut. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int64_t *percent;
static int has_torn;

__attribute__((constructor)) static void map_file(void) {
  const char *path = getenv("FAILING_WRITES_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) abort();
  void *page = mmap(NULL, sizeof *percent, PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) abort();
  percent = page;
  close(file);
}

static int fails(int descriptor) {
  char link[64], path[4096];
  if (percent == NULL || *percent == 0) {
    has_torn = 0;
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, ".aof") != NULL;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  if (!fails(descriptor)) return syscall(SYS_write, descriptor, bytes, length);
  if (has_torn) {
    errno = ENOSPC;
    return -1;
  }
  has_torn = 1;
  size_t part = length * (size_t)*percent / 100;
  return syscall(SYS_write, descriptor, bytes, part == 0 ? 1 : part);
}

int ftruncate64(int descriptor, off64_t length) {
  if (!fails(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, length);
  errno = EIO;
  return -1;
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }
