/// The types of record that format 1 knows; the raw value is the line's `type`.
public enum RecordType: String, CaseIterable, Sendable {
  case genesis
  case user
  case rules
  case evidence
  case credit
  case grant
  case streak
  case level
  case unknown
  case close
  case excuse
  case reversal
  case run
  case refused
  case message
  case `operator`
  case seal
}

extension RecordType {
  /// The fields with which every line begins.
  static let frameNames: [StaticString] = ["seq", "at", "type"]
  /// The types whose lines are about all users or none: whatever field they hold, it names nobody.
  static let impersonalNames: [StaticString] = [
    "genesis", "rules", "close", "excuse", "run", "operator", "seal",
  ]
}

extension RecordBody {
  /// The `type` of the line.
  public var type: RecordType {
    switch self {
    case .genesis: .genesis
    case .user: .user
    case .rules: .rules
    case .evidence: .evidence
    case .credit: .credit
    case .grant: .grant
    case .streak: .streak
    case .level: .level
    case .unknown: .unknown
    case .close: .close
    case .excuse: .excuse
    case .reversal: .reversal
    case .run: .run
    case .refused: .refused
    case .message: .message
    case .operator: .operator
    case .seal: .seal
    }
  }
}
