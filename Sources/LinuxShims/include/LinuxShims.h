// Linux calls and constants that the Glibc module does not show to Swift.
#pragma once
#include <sys/types.h>

/// Takes an exclusive open-file-description lock over the whole file without waiting.
/// Returns 0, or -1 with errno (EAGAIN when another process or description holds it).
int linux_try_lock_exclusive(int descriptor);
