internal import Glibc
public import Ledger
import StrictJSON
import Threading

/// The embedded sink: one event per line, appended to a file and synced before its cursor moves.
///
/// Delivery is at least once: a crash between the sync and the cursor sends the last events again, with the same ids.
public actor FileSink {
  /// Why events could not be delivered.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The file and the cause.
    public let description: String
  }

  private let path: String
  private let cursorPath: String
  private let mapping: EventMapping
  private let thread = BlockingThread(named: "rewards.file-sink")
  /// How far the sink has been served.
  public private(set) var cursor: RelayCursor

  /// A sink that appends to `path` and keeps its cursor in `folder`; both folders must exist.
  ///
  /// A damaged cursor is an error: starting over would send everything again.
  public init(path: String, folder: String, ledger: String) throws(Failure) {
    self.path = path
    cursorPath = folder + "/cursor.json"
    mapping = EventMapping(ledger: ledger)
    guard let bytes = try Self.read(cursorPath) else {
      cursor = .start
      return
    }
    guard let cursor = RelayCursor(bytes) else {
      throw Failure(
        description:
          "\(cursorPath): the cursor is damaged; restore it, or remove it to send every event again"
      )
    }
    self.cursor = cursor
  }

  /// Delivers what `records` say beyond the cursor, and then moves it to `head`.
  ///
  /// Records at or before the cursor are passed over, so that handing them in twice delivers them once.
  public func deliver(_ records: [Record], head: LedgerHead) async throws {
    guard head.seq > cursor.seq else { return }
    var lines: [UInt8] = []
    for record in records where record.seq > cursor.seq {
      for event in mapping.events(of: record) { lines += Array(event.json.utf8) + [0x0A] }
    }
    let next = RelayCursor(seq: head.seq, hash: head.hash)
    let (path, cursorPath, text, bytes) = (path, cursorPath, Array(next.json.utf8), lines)
    try await thread.run {
      if !bytes.isEmpty { try Self.append(bytes, to: path) }
      try Self.replace(cursorPath, with: text)
    }
    cursor = next
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

  private static func replace(_ path: String, with bytes: [UInt8]) throws {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(temporary) }
    defer { close(descriptor) }
    try write(bytes, to: descriptor, temporary)
    guard fdatasync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure(path) }
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

  /// What the file holds, nil when there is none: any other failure must not look like a new sink.
  private static func read(_ path: String) throws(Failure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw failure(path) }
    return Array(bytes.prefix(count))
  }

  private static func failure(_ path: String) -> Failure {
    Failure(description: "\(path): \(String(cString: strerror(errno)))")
  }
}
