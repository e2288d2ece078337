#define _GNU_SOURCE
#include "LinuxShims.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int linux_try_lock_exclusive(int descriptor) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
  return fcntl(descriptor, F_OFD_SETLK, &whole);
}

static atomic_int signal_pipe = -1;

// Runs on whichever thread the signal reaches: only what POSIX calls async-signal-safe.
static void forward(int signal) {
  int before = errno;
  int descriptor = atomic_load(&signal_pipe);
  unsigned char number = (unsigned char)signal;
  if (descriptor >= 0 && write(descriptor, &number, 1) < 0) {
    // Full: whoever reads has signals enough to see.
  }
  errno = before;
}

int linux_open_signal_pipe(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  atomic_store(&signal_pipe, ends[1]);
  return ends[0];
}

int linux_forward_signal(int signal) {
  struct sigaction action = {.sa_handler = forward, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  return sigaction(signal, &action, NULL);
}

void linux_close_signal_pipe(void) {
  int descriptor = atomic_exchange(&signal_pipe, -1);
  if (descriptor >= 0) close(descriptor);
}

void linux_name_thread(const char *name) {
  char short_name[16] = {0};
  for (int i = 0; i < 15 && name[i] != 0; i++) short_name[i] = name[i];
  pthread_setname_np(pthread_self(), short_name);
}

int linux_spawn_close_and_enter(posix_spawn_file_actions_t *actions, int from, const char *folder) {
  int code = posix_spawn_file_actions_addclosefrom_np(actions, from);
  if (code == 0 && folder != NULL) code = posix_spawn_file_actions_addchdir_np(actions, folder);
  return code;
}

void linux_return_large_memory(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

void linux_return_free_memory(void) { malloc_trim(0); }

int64_t linux_boot_nanoseconds(void) {
  struct timespec time;
  if (syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int linux_is_clock_synchronized(int64_t *wall) {
  struct timex timex = {0};
  long state = syscall(SYS_adjtimex, &timex);
  if (state < 0) return -1;
  *wall = timex.time.tv_sec;
  return state != TIME_ERROR && (timex.status & STA_UNSYNC) == 0;
}

void linux_keep_private(void) {
  prctl(PR_SET_DUMPABLE, 0);
  // The strings that the kernel has put there are written over; those of the same names that take their place are the C library's own.
  for (char **entry = environ; *entry != NULL; entry++) {
    char *copy = strdup(*entry);
    if (copy == NULL) return;
    explicit_bzero(*entry, strlen(*entry));
    *entry = copy;
  }
}
