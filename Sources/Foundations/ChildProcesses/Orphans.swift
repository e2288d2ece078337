internal import Glibc

/// Reaps processes whose parents have ended: a container's process 1 inherits them.
package enum Orphans {
  /// How often to check while only its own children have ended, and while there are no children, in milliseconds.
  private static let restMilliseconds: (busy: Int32, idle: Int32) = (50, 1_000)

  /// Reaps ended orphans from now on; does nothing unless this is process 1.
  package static func reapAsFirstProcess() {
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

  /// Returns whether this process waits for an ended process; if not, reaps it.
  private static func isOfOurs(_ pid: pid_t) -> Bool {
    ChildProcess.alive.withLock { alive in
      if alive.contains(pid) { return true }
      var status: Int32 = 0
      _ = waitpid(pid, &status, WNOHANG)
      return false
    }
  }
}
