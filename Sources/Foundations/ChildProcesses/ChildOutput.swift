internal import Glibc

/// Runs a program and keeps the end of its output.
package enum ChildOutput {
  /// How many seconds a program gets to end after being cut short.
  private static let graceSeconds: Int32 = 10

  /// Returns how the program ended, and the last `limitBytes` of both its streams. Throws ``SpawnError``.
  ///
  /// If the task is cancelled, the program and everything it has started get SIGTERM; whatever is left ten seconds later, or once
  /// the program has ended, gets SIGKILL. Output of grandchildren after the program's end is not waited for.
  package static func run(
    _ executable: String, _ arguments: [String], environment: [String: String]?, limitBytes: Int
  ) async throws -> (ChildProcess.Outcome, [UInt8]) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw SpawnError(executable: executable, code: errno)
    }
    let (own, childs) = (ends[0], ends[1])
    defer { close(own) }
    let child: ChildProcess
    do {
      child = try ChildProcess(
        executable, arguments, environment: environment, output: .descriptor(childs),
        errors: .descriptor(childs), leadsGroup: true)
    } catch {
      close(childs)
      throw error
    }
    close(childs)
    let kept = Lock<[UInt8]>([])
    let reader = BlockingThread(named: "child-output-\(child.pid)")
    reader.start {
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = read(own, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        kept.withLock { kept in
          kept += bytes.prefix(count)
          if kept.count > 2 * limitBytes { kept.removeFirst(kept.count - limitBytes) }
        }
      }
    }
    let outcome = await withTaskCancellationHandler {
      await child.ended()
    } onCancel: {
      child.cutShort(withinSeconds: graceSeconds)
    }
    // Output already written can still be read; any process that still holds the other end is not our child.
    shutdown(own, Int32(SHUT_RD))
    try? await reader.run {}
    return (outcome, Array(kept.withLock { $0 }.suffix(limitBytes)))
  }
}
