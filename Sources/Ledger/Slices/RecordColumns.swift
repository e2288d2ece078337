extension RecordType {
  /// The names of a line's members, in the order in which they are written; the columns of a table of such records.
  ///
  /// Some members are left out of some lines.
  public var columns: [StaticString] { ["seq", "at", "type"] + schema.names }

  /// The description of the records of this type.
  var schema: any LineObject.Type {
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
    case .operator: OperatorRecord.self
    case .seal: SealRecord.self
    }
  }
}
