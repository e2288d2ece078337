internal import Glibc
internal import Threading

/// Runs a program and keeps the end of what it prints.
public enum ChildOutput {
  /// So long a program that is cut short may take to end.
  private static let graceSeconds: Int32 = 10

  /// How the program ended, and the last `limitBytes` of both its streams. When the task is cancelled it and all that it has started get
  /// SIGTERM, and whoever is left ten seconds later, or when it has ended, SIGKILL.
  ///
  /// What grandchildren print after its end is not waited for. Throws ``SpawnError``.
  public static func run(
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
    // What was written is read still; whoever holds the other end now is no child of ours.
    shutdown(own, Int32(SHUT_RD))
    try? await reader.run {}
    return (outcome, Array(kept.withLock { $0 }.suffix(limitBytes)))
  }
}
