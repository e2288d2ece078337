import Foundations
import LedgerStore

/// Tests whether the disk accepts writes, for health checks: it may be full or read-only long before there is something to
/// record.
actor WriteProbe {
  /// The bytes written as a test, more than fit beside a file's name.
  private static let bytes = [UInt8](repeating: 0, count: 8_192)
  /// How long a result is considered current, in nanoseconds.
  private static let holdsNanoseconds: Int64 = 1_000_000_000

  private let path: String
  private let files: any FileSystem
  private let thread = BlockingThread(named: "rewards.probe")
  private var attempt: (begunAt: Int64, task: Task<String?, Never>)?
  private var isUnderWay = false

  /// Creates a probe of a data folder; nil for a database, which is written to all the time.
  init?(_ directory: DataDirectory) {
    if directory.isInDatabase { return nil }
    path = "\(directory.state)/probe"
    files = directory.files
  }

  /// Returns why nothing can be written, or nil; `now` is in nanoseconds since boot.
  ///
  /// A call during a running test waits for its result, unless the disk has kept it waiting for too long.
  func objection(now: Int64) async -> String? {
    if let attempt {
      let elapsed = now - attempt.begunAt
      if isUnderWay, elapsed > Int64(Service.slowAppendSeconds * 1e9) {
        return "a write has waited \(elapsed / 1_000_000_000) s for the disk"
      }
      if isUnderWay || elapsed < Self.holdsNanoseconds { return await attempt.task.value }
    }
    isUnderWay = true
    let task = Task { [path, files, thread] in
      var objection: String?
      do {
        try await thread.run { try files.replace(path, with: [Self.bytes]) }
      } catch {
        objection = "nothing can be written: \(error)"
      }
      isUnderWay = false
      return objection
    }
    attempt = (now, task)
    return await task.value
  }
}
