// Lets one system call on files below a folder fail, counted over the whole process; preloaded into the program.
//
// FAULT_FOLDER  only calls on this folder and below count
// FAULT_LOG     each call that counts is noted here by its name, a line each
// FAULT_AT      the call that fails, from 1; 0 lets none fail
// FAULT_ERROR   the error number; 0 kills the process instead
// FAULT_ONWARD  1: later calls of the same name fail too
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;
static const char *failing;

static long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static int is_below(const char *path) {
  const char *folder = getenv("FAULT_FOLDER");
  if (!folder || !path) return 0;
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

// Notes a call; whether it is to fail, with errno set.
static int fails(const char *name) {
  pthread_mutex_lock(&lock);
  calls++;
  int is_hit = calls == setting("FAULT_AT");
  if (is_hit) failing = name;
  int later = setting("FAULT_ONWARD") && failing && strcmp(failing, name) == 0;
  const char *path = getenv("FAULT_LOG");
  long log = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
  if (log >= 0) {
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", name);
    syscall(SYS_write, log, line, length);
    syscall(SYS_close, log);
  }
  pthread_mutex_unlock(&lock);
  if (!is_hit && !later) return 0;
  if (setting("FAULT_ERROR") == 0) kill(getpid(), SIGKILL);
  errno = (int)setting("FAULT_ERROR");
  return 1;
}

static int path_fails(const char *name, const char *path) { return is_below(path) && fails(name); }

static int file_fails(const char *name, int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return path_fails(name, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    va_list rest;                                   \
    va_start(rest, flags);                          \
    mode_t mode = va_arg(rest, mode_t);             \
    va_end(rest);                                   \
    if (path_fails("openat", path)) return -1;      \
    return REAL(name)(path, flags, mode);           \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                        \
  int name(int folder, const char *path, int flags, ...) {  \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    mode_t mode = va_arg(rest, mode_t);                     \
    va_end(rest);                                           \
    if (path_fails("openat", path)) return -1;              \
    return REAL(name)(folder, path, flags, mode);           \
  }
OPENAT(openat)
OPENAT(openat64)

// Opens a folder inside the library, where openat cannot be seen.
DIR *opendir(const char *path) {
  if (path_fails("openat", path)) return NULL;
  return REAL(opendir)(path);
}

ssize_t write(int file, const void *bytes, size_t count) {
  return file_fails("write", file) ? -1 : REAL(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return file_fails("pwrite64", file) ? -1 : REAL(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
  return file_fails("pwrite64", file) ? -1 : REAL(pwrite)(file, bytes, count, offset);
}

int fdatasync(int file) { return file_fails("fdatasync", file) ? -1 : REAL(fdatasync)(file); }

int fsync(int file) { return file_fails("fsync", file) ? -1 : REAL(fsync)(file); }

int ftruncate(int file, off_t size) {
  return file_fails("ftruncate", file) ? -1 : REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off_t size) {
  return file_fails("ftruncate", file) ? -1 : REAL(ftruncate)(file, size);
}

int rename(const char *from, const char *to) {
  return path_fails("rename", from) ? -1 : REAL(rename)(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return path_fails("rename", from) ? -1 : REAL(renameat2)(a, from, b, to, flags);
}

int mkdir(const char *path, mode_t mode) {
  return path_fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}

int unlink(const char *path) { return path_fails("unlink", path) ? -1 : REAL(unlink)(path); }
