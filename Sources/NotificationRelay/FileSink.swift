internal import Glibc
import Threading

/// The embedded sink: one event per line, appended to a file and synced, in the order of the ledger.
public struct FileSink: Sink {
  private let path: String
  private let thread = BlockingThread(named: "rewards.file-sink")

  /// A sink that appends to `path`; its folder must exist by the time something is delivered.
  public init(path: String) { self.path = path }

  /// One lane, many events at a time.
  public var manners: SinkManners {
    var manners = SinkManners()
    manners.isOneLane = true
    manners.shipmentsAtOnce = 1
    manners.eventsPerShipment = 2_048
    return manners
  }

  /// Appends all of the events, or in effect none: what a failure leaves of them is cut off before the next are appended, and
  /// whole lines come again with the same ids.
  public func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    let path = path
    do {
      try await thread.run {
        var lines: [UInt8] = []
        for event in events { lines += Array(event.json.utf8) + [0x0A] }
        try Self.append(lines, to: path)
      }
      return events.map { _ in .delivered(status: nil) }
    } catch {
      return [.unavailable(reason: "\(error)")]
    }
  }

  private static func append(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    try cutTornLine(descriptor, path)
    try write(bytes, to: descriptor, path)
    guard fdatasync(descriptor) == 0 else { throw failure(path) }
  }

  /// Takes away what a crash or a full disk left of a line: its event is sent again, and must not be glued to it.
  private static func cutTornLine(_ descriptor: Int32, _ path: String) throws {
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else { throw failure(path) }
    var end = size
    var block = [UInt8](repeating: 0, count: 4_096)
    while end > 0 {
      let start = max(0, end - block.count)
      let count = pread(descriptor, &block, end - start, start)
      guard count == end - start else { throw failure(path) }
      if let line = block[..<count].lastIndex(of: 0x0A) {
        end = start + line + 1
        break
      }
      end = start
    }
    guard end == size || ftruncate(descriptor, end) == 0 else { throw failure(path) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(path)
      }
      done += count
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static func failure(_ path: String) -> Failure {
    Failure(description: "\(path): \(String(cString: strerror(errno)))")
  }
}
