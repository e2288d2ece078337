import CivilTime

/// The one writer of ledger lines: every type in its fixed order of fields, as the page *Format 1* lists them.
///
/// Keeps a buffer for one line, so that encoding costs no allocation per record. Not thread-safe.
public struct RecordEncoder: ~Copyable {
  /// The longest line that the format allows, its `\n` included.
  public static let lineLimitBytes = 65_536

  private var line = LineWriter(limitBytes: RecordEncoder.lineLimitBytes)
  // Records of one batch share their instant: its text is made once.
  private var lastAt: (instant: Instant, text: [UInt8])?

  /// An encoder.
  public init() {}

  /// Appends the line of `record`, with its `\n`; on an error `bytes` stay as they were.
  public mutating func append(
    _ record: Record, to bytes: inout [UInt8]
  ) throws(RecordError) {
    begin(seq: record.seq, at: record.at, type: record.body.type)
    record.body.write(to: &line)
    line.raw("}\n")
    if let problem = line.problem {
      throw RecordError(seq: record.seq, type: record.body.type, what: problem)
    }
    bytes.append(contentsOf: line.bytes)
  }

  private mutating func begin(seq: UInt64, at: Instant, type: RecordType) {
    line.clear()
    line.raw("{")
    line.field("seq", seq)
    line.name("at")
    if let lastAt, lastAt.instant == at {
      line.raw(lastAt.text)
    } else {
      let start = line.count
      line.instant(at, .milliseconds)
      lastAt = (at, Array(line.bytes[start...]))
    }
    line.field("type", type.rawValue)
  }
}

extension RecordBody {
  fileprivate func write(to line: inout LineWriter) {
    switch self {
    case .genesis(let record): record.write(to: &line)
    case .user(let record): record.write(to: &line)
    case .rules(let record): record.write(to: &line)
    case .evidence(let record): record.write(to: &line)
    case .credit(let record): record.write(to: &line)
    case .grant(let record): record.write(to: &line)
    case .streak(let record): record.write(to: &line)
    case .level(let record): record.write(to: &line)
    case .unknown(let record): record.write(to: &line)
    case .close(let record): record.write(to: &line)
    case .excuse(let record): record.write(to: &line)
    case .reversal(let record): record.write(to: &line)
    case .run(let record): record.write(to: &line)
    case .refused(let record): record.write(to: &line)
    case .operator(let record): record.write(to: &line)
    case .seal(let record): record.write(to: &line)
    }
  }
}
