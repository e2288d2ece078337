public import CivilTime
internal import Described
public import Failures

/// The only writer of ledger lines. Each type has a fixed field order, listed on the page *Ledger records*.
///
/// A line is a frame (`seq`, `at`) followed by the body, which can be encoded before the frame is known. Keeps a
/// buffer for one line, so that encoding a record does not allocate. Not thread-safe.
public struct RecordEncoder: ~Copyable {
  /// The longest line the format allows, including its `\n`.
  public static let lineLimitBytes = 65_536
  /// The longest possible frame: `{"seq":18446744073709551615,"at":"2026-11-20T00:00:00.000Z",`.
  public static let frameLimitBytes = 62

  private var line = LineWriter(limitBytes: lineLimitBytes - frameLimitBytes)
  // Has room for the longest text of an instant, although milliseconds never need it.
  private var frame = LineWriter(limitBytes: frameLimitBytes + 16)

  /// Creates an encoder.
  public init() {}

  /// Appends the line of `record` with its `\n`; leaves `bytes` unchanged on an error.
  public mutating func append(
    _ record: Record, to bytes: inout [UInt8]
  ) throws(RecordError) {
    try write(record.body)
    appendFrame(seq: record.seq, at: record.at, to: &bytes)
    bytes.append(contentsOf: line.bytes)
  }

  /// Appends the body of a line, which does not depend on its position; leaves `bytes` unchanged on an error.
  public mutating func appendBody(
    _ body: RecordBody, to bytes: inout [UInt8]
  ) throws(RecordError) {
    try write(body)
    bytes.append(contentsOf: line.bytes)
  }

  /// Appends the frame of a line. Append a body from ``appendBody(_:to:)`` next.
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

/// The reason why a record cannot become a ledger line.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The record's type.
  public let type: RecordType
  /// The beginning of the record's line, enough to identify it.
  public let beginning: String
  /// What is wrong and how to fix it.
  public let what: String

  /// Creates an error about one record.
  public init(type: RecordType, beginning: String, what: String) {
    self.type = type
    self.beginning = beginning
    self.what = what
  }

  /// The record and the cause on one line.
  public var description: String { "\(type.rawValue) record \(beginning)…: \(what)" }
}

extension RecordError: FailureConvertible {
  /// The error as a bad-data failure: the record does not fit a line.
  public var failure: Failure { Failure(.badData, description) }
}
