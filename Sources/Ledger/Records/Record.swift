public import CivilTime

/// One line of the ledger.
public struct Record: Sendable, Equatable {
  /// 1, 2, 3, … without gaps over all segments.
  public let seq: UInt64
  /// When it was recorded; never decreases; milliseconds.
  public let at: Instant
  /// What it says.
  public let body: RecordBody

  /// A record.
  public init(seq: UInt64, at: Instant, body: RecordBody) {
    self.seq = seq
    self.at = at
    self.body = body
  }
}

/// What a record says, by its `type`.
public enum RecordBody: Sendable, Equatable {
  case genesis(GenesisRecord)
  case user(UserRecord)
  case rules(RulesRecord)
  case evidence(EvidenceRecord)
  case credit(CreditRecord)
  case grant(GrantRecord)
  case streak(StreakRecord)
  case level(LevelRecord)
  case unknown(UnknownRecord)
  case close(CloseRecord)
  case excuse(ExcuseRecord)
  case reversal(ReversalRecord)
  case run(RunRecord)
  case refused(RefusedRecord)
  case `operator`(OperatorRecord)
  case seal(SealRecord)
}
