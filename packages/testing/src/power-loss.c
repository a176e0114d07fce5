/* Preloaded into a Redis server, this library records in the folder POWER_LOSS_RECORD what a loss of power would leave
 * of the folder POWER_LOSS_DATA. after-power-loss.ts describes the lines of the record. A hard link keeps the content
 * of each file, also of one that is removed or replaced. Redis only appends to its files, so what is durable of a file
 * is a length. A sync takes 2 ms and writes nothing, so that the disk of the machine does not matter. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYNC_US = 2000, STALL_POLL_US = 1000 };

static char data[PATH_MAX];
static int record = -1, trace = -1;

/* A rewrite of the append-only file ends with its server, as on a machine that has lost power. */
static void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

__attribute__((constructor)) static void open_record(void) {
  const char *folder = getenv("POWER_LOSS_DATA"), *into = getenv("POWER_LOSS_RECORD");
  if (folder == NULL || into == NULL || realpath(folder, data) == NULL) abort();
  record = openat(AT_FDCWD, into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  trace = openat(record, "trace", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (trace < 0) abort();
  pthread_atfork(NULL, NULL, die_with_parent);
}

/* One write adds a whole line, so the lines of several threads and processes do not mix. */
static void note(const char *format, ...) {
  char line[PATH_MAX + 100];
  int saved = errno;
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (write(trace, line, length) != length) abort();
  errno = saved;
}

/* The name of an existing file below the data folder, or NULL. It is a part of `full`. */
static const char *find(const char *path, char *full, struct stat *file) {
  size_t length = strlen(data);
  if (trace < 0 || realpath(path, full) == NULL || stat(full, file) != 0) return NULL;
  if (strncmp(full, data, length) != 0 || (full[length] != '/' && full[length] != '\0')) return NULL;
  return full[length] == '/' ? full + length + 1 : ".";
}

static void opened(const char *path, int existed, int empties) {
  char full[PATH_MAX], kept[32];
  struct stat file;
  const char *name = find(path, full, &file);
  if (name == NULL) return;
  if (existed && empties) note("cut %ju 0\n", (uintmax_t)file.st_ino);
  if (existed) return;
  snprintf(kept, sizeof kept, "%ju", (uintmax_t)file.st_ino);
  if (linkat(AT_FDCWD, full, record, kept, 0) != 0) abort();
  note("name %ju %s\n", (uintmax_t)file.st_ino, name);
}

int open64(const char *path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  mode_t mode = flags & O_CREAT ? va_arg(values, mode_t) : 0;
  va_end(values);
  int existed = access(path, F_OK) == 0, file = openat(AT_FDCWD, path, flags, mode);
  if (file >= 0 && flags & (O_CREAT | O_TRUNC)) opened(path, existed, flags & O_TRUNC);
  return file;
}

FILE *fopen64(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen64");
  int existed = access(path, F_OK) == 0;
  FILE *file = real(path, mode);
  if (file != NULL && mode[0] != 'r') opened(path, existed, mode[0] == 'w');
  return file;
}
FILE *fopen(const char *path, const char *mode) { return fopen64(path, mode); }

static int sync_file(int descriptor, long real) {
  char path[64], full[PATH_MAX];
  struct stat file;
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const char *name = find(path, full, &file);
  if (name == NULL) return (int)syscall(real, descriptor);
  int thread = (int)syscall(SYS_gettid);
  note("begin %d\n", thread);
  usleep(SYNC_US);
  if (faccessat(record, "stall", F_OK, 0) == 0) note("stalled %d\n", thread);
  while (faccessat(record, "stall", F_OK, 0) == 0) usleep(STALL_POLL_US);
  if (S_ISDIR(file.st_mode)) note("folder %d %s\n", thread, name);
  else note("sync %d %ju %jd\n", thread, (uintmax_t)file.st_ino, (intmax_t)file.st_size);
  return 0;
}
int fsync(int descriptor) { return sync_file(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, SYS_fdatasync); }

int rename(const char *from, const char *to) {
  char full[PATH_MAX];
  struct stat file;
  if (renameat(AT_FDCWD, from, AT_FDCWD, to) != 0) return -1;
  const char *name = find(to, full, &file);
  if (name != NULL) note("name %ju %s\n", (uintmax_t)file.st_ino, name);
  return 0;
}

int unlink(const char *path) {
  char full[PATH_MAX];
  struct stat file;
  const char *name = find(path, full, &file);
  if (unlinkat(AT_FDCWD, path, 0) != 0) return -1;
  if (name != NULL) note("gone %ju\n", (uintmax_t)file.st_ino);
  return 0;
}

/* Redis cuts a torn append-only file by its name. */
int truncate64(const char *path, off64_t length) {
  char full[PATH_MAX];
  struct stat file;
  if (truncate(path, length) != 0) return -1;
  if (find(path, full, &file) != NULL) note("cut %ju %jd\n", (uintmax_t)file.st_ino, (intmax_t)length);
  return 0;
}
