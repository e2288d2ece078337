#define _GNU_SOURCE
#include "LinuxShims.h"
#include <fcntl.h>
#include <unistd.h>

int linux_try_lock_exclusive(int descriptor) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
  return fcntl(descriptor, F_OFD_SETLK, &whole);
}
