public import CivilTime
internal import Described
public import Failures

/// The one writer of ledger lines: every type in its fixed order of fields, as the page *Format 1* lists them.
///
/// A line is a frame (`seq`, `at`) and the body's part behind it, which can be made before the frame is known. Keeps a
/// buffer for one line, so that encoding costs no allocation per record. Not thread-safe.
public struct RecordEncoder: ~Copyable {
  /// The longest line that the format allows, its `\n` included.
  public static let lineLimitBytes = 65_536
  /// The longest beginning of a line: `{"seq":18446744073709551615,"at":"2026-11-20T00:00:00.000Z",`.
  public static let frameLimitBytes = 62

  private var line = LineWriter(limitBytes: lineLimitBytes - frameLimitBytes)
  // With room for the longest text of an instant, which milliseconds never need.
  private var frame = LineWriter(limitBytes: frameLimitBytes + 16)

  /// Creates an encoder.
  public init() {}

  /// Appends the line of `record`, with its `\n`; on an error `bytes` stay as they were.
  public mutating func append(
    _ record: Record, to bytes: inout [UInt8]
  ) throws(RecordError) {
    try write(record.body)
    appendFrame(seq: record.seq, at: record.at, to: &bytes)
    bytes.append(contentsOf: line.bytes)
  }

  /// Appends the part of a line that does not depend on where it will stand; on an error `bytes` stay as they were.
  public mutating func appendBody(
    _ body: RecordBody, to bytes: inout [UInt8]
  ) throws(RecordError) {
    try write(body)
    bytes.append(contentsOf: line.bytes)
  }

  /// Appends the beginning of a line, which a part from ``appendBody(_:to:)`` must follow.
  public mutating func appendFrame(seq: UInt64, at: Instant, to bytes: inout [UInt8]) {
    frame.clear()
    frame.raw("{")
    frame.member("seq", seq)
    frame.name("at")
    frame.instant(at, fraction: .milliseconds)
    frame.raw(",")
    bytes.append(contentsOf: frame.bytes)
  }

  private mutating func write(_ body: RecordBody) throws(RecordError) {
    line.clear()
    line.member("type", body.type.rawValue)
    body.writeFields(to: &line)
    line.raw("}\n")
    guard let problem = line.problem else { return }
    let beginning = String(decoding: line.bytes.prefix(120), as: UTF8.self)
    throw RecordError(type: body.type, beginning: beginning, what: problem)
  }
}

extension RecordBody {
  fileprivate func writeFields(to line: inout LineWriter) {
    switch self {
    case .genesis(let record): line.writeFields(of: record)
    case .user(let record): line.writeFields(of: record)
    case .rules(let record): line.writeFields(of: record)
    case .evidence(let record): line.writeFields(of: record)
    case .credit(let record): line.writeFields(of: record)
    case .grant(let record): line.writeFields(of: record)
    case .streak(let record): line.writeFields(of: record)
    case .level(let record): line.writeFields(of: record)
    case .unknown(let record): line.writeFields(of: record)
    case .close(let record): line.writeFields(of: record)
    case .excuse(let record): line.writeFields(of: record)
    case .reversal(let record): line.writeFields(of: record)
    case .run(let record): line.writeFields(of: record)
    case .refused(let record): line.writeFields(of: record)
    case .message(let record): line.writeFields(of: record)
    case .operator(let record): line.writeFields(of: record)
    case .seal(let record): line.writeFields(of: record)
    }
  }
}

/// Why a record cannot become a line of the ledger.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The record's type.
  public let type: RecordType
  /// How the record's line begins: enough to tell which one it is.
  public let beginning: String
  /// What is wrong and what to do.
  public let what: String

  /// Creates an error about one record.
  public init(type: RecordType, beginning: String, what: String) {
    self.type = type
    self.beginning = beginning
    self.what = what
  }

  /// The record and the cause, on one line.
  public var description: String { "\(type.rawValue) record \(beginning)…: \(what)" }
}

extension RecordError: FailureConvertible {
  /// Bad data: what was to be written cannot stand in a line.
  public var failure: Failure { Failure(.badData, description) }
}
