// Spoils the program's syncing, to prove that the check of the trace can fail; preloaded into the program.
//
// NOSYNC=data     fdatasync does nothing and says that it is done
// NOSYNC=folders  fsync of a folder does nothing and says that it is done
// NOSYNC=retry    a failed fdatasync is made again on the same descriptor
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_asked_for(const char *what) {
  const char *setting = getenv("NOSYNC");
  return setting && strcmp(setting, what) == 0;
}

int fdatasync(int file) {
  if (is_asked_for("data")) return 0;
  int result = (int)syscall(SYS_fdatasync, file);
  if (result != 0 && is_asked_for("retry")) result = (int)syscall(SYS_fdatasync, file);
  return result;
}

int fsync(int file) {
  struct stat status;
  if (is_asked_for("folders") && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) return 0;
  return (int)syscall(SYS_fsync, file);
}
