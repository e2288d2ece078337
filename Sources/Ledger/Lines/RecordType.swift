internal import Described
public import StrictJSON

/// A record type of format 1; the raw value is the line's `type`.
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
  /// The types whose lines are about all users or none. Whatever their fields hold, they name no user.
  static let impersonalNames: [StaticString] = [
    "genesis", "rules", "close", "excuse", "run", "operator", "seal",
  ]
}

extension RecordBody {
  /// The line's `type`.
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

extension RecordType {
  /// The shape of a line of this type.
  public var shape: JSONShape {
    let frame: [JSONShape.Field] = [
      .init("seq", .integer(nil)), .init("at", .text(.instant)), .init("type", .word(rawValue)),
    ]
    return .object(frame + schema.described.fields)
  }

  /// The names of a line's members in the order written, which are the columns of a table of such records.
  ///
  /// Some lines leave some members out.
  public var columns: [StaticString] { ["seq", "at", "type"] + schema.described.names }

  /// The type that describes these records.
  private var schema: any DescribedObject.Type {
    switch self {
    case .genesis: GenesisRecord.self
    case .user: UserRecord.self
    case .rules: RulesRecord.self
    case .evidence: EvidenceRecord.self
    case .credit: CreditRecord.self
    case .grant: GrantRecord.self
    case .streak: StreakRecord.self
    case .level: LevelRecord.self
    case .unknown: UnknownRecord.self
    case .close: CloseRecord.self
    case .excuse: ExcuseRecord.self
    case .reversal: ReversalRecord.self
    case .run: RunRecord.self
    case .refused: RefusedRecord.self
    case .message: MessageRecord.self
    case .operator: OperatorRecord.self
    case .seal: SealRecord.self
    }
  }
}
