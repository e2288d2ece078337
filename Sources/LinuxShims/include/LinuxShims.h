// Linux calls and constants that the Glibc module does not show to Swift.
#pragma once
#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

/// Takes an exclusive open-file-description lock over the whole file without waiting.
/// Returns 0, or -1 with errno (EAGAIN when another process or description holds it).
int linux_try_lock_exclusive(int descriptor);

/// Opens the pipe into which forwarded signals are written, one byte each, the signal's number.
/// Returns the end to read, which does not block, or -1 with errno. At most one is open at a time.
int linux_open_signal_pipe(void);

/// From now on each arrival of `signal` is written into the pipe. Returns 0, or -1 with errno.
int linux_forward_signal(int signal);

/// Closes the end of the pipe that is written to. Signals are to have their default actions again before.
void linux_close_signal_pipe(void);

/// Nanoseconds since the machine's boot, its suspends included (`CLOCK_BOOTTIME`), or -1. Asks the kernel: a library that shows programs another
/// wall clock may show them another boot clock too.
int64_t linux_boot_nanoseconds(void);

/// Whether the kernel calls its wall clock synchronised (`adjtimex(2)`): 1 or 0, or -1 when it does not tell. `wall` is then the time, in
/// seconds, of which it speaks: a library may show programs another one.
int linux_is_clock_synchronized(int64_t *wall);

/// Keeps what this process knows from others: no core is written, only root may look into it, and its environment stands where
/// `/proc/PID/environ` does not show it. To be called before there is a second thread.
void linux_keep_private(void);

/// Names the calling thread for debuggers; the system keeps the first 15 bytes.
void linux_name_thread(const char *name);

/// Adds to what a spawned child does first: close every descriptor from `from` on, and go into `folder` unless NULL.
/// Returns 0 or an error number.
int linux_spawn_close_and_enter(posix_spawn_file_actions_t *actions, int from, const char *folder);

/// Has every block of 256 KiB or more go back to the system as soon as it is freed. The C library otherwise raises that limit with the
/// blocks that it sees, up to 32 MiB, and then keeps as much as a rush of large answers once took.
void linux_return_large_memory(void);

/// Gives memory that is free back to the system: what reading a long ledger, or a night, has used and a quiet service needs no more.
void linux_return_free_memory(void);
