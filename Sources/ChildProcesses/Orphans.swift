internal import Glibc
internal import Threading

/// What becomes of processes whose parents have ended: as process 1, of a container, this one inherits them.
public enum Orphans {
  /// How often it looks while only children of its own have ended, and while there are none, in milliseconds.
  private static let restMilliseconds: (busy: Int32, idle: Int32) = (50, 1_000)

  /// Lets those that have ended go, from now on; nothing where this is not process 1.
  public static func reapAsFirstProcess() {
    guard getpid() == 1 else { return }
    ownThread(named: "orphans") {
      while true {
        var info = siginfo_t()
        let code = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT)
        let isOwn = code != 0 || isOfOurs(info._sifields._sigchld.si_pid)
        if isOwn { _ = poll(nil, 0, code == 0 ? restMilliseconds.busy : restMilliseconds.idle) }
      }
    }
  }

  /// Whether somebody here waits for a process that has ended; otherwise it is let go.
  private static func isOfOurs(_ pid: pid_t) -> Bool {
    ChildProcess.alive.withLock { alive in
      if alive.contains(pid) { return true }
      var status: Int32 = 0
      _ = waitpid(pid, &status, WNOHANG)
      return false
    }
  }
}
