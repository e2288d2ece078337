public import CivilTime

/// One line of the ledger.
public struct Record: Sendable, Equatable {
  /// The sequence number: 1, 2, 3, … without gaps across all segments.
  public let seq: UInt64
  /// When it was recorded, in milliseconds; never decreases.
  public let at: Instant
  /// The record's content.
  public let body: RecordBody

  /// Creates a record.
  public init(seq: UInt64, at: Instant, body: RecordBody) {
    self.seq = seq
    self.at = at
    self.body = body
  }
}

/// The content of a record, by its `type`. Indirect, because copying all parts of one costs more than encoding it.
public indirect enum RecordBody: Sendable, Equatable {
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
  case message(MessageRecord)
  case `operator`(OperatorRecord)
  case seal(SealRecord)

  /// The user the record is about; nil for records about all users or none.
  public var user: String? {
    switch self {
    case .user(let record): record.user
    case .evidence(let record): record.user
    case .credit(let record): record.user
    case .grant(let record): record.user
    case .streak(let record): record.user
    case .level(let record): record.user
    case .unknown(let record): record.user
    case .reversal(let record): record.user
    case .refused(let record): record.user
    case .message(let record): record.user
    case .genesis, .rules, .close, .excuse, .run, .operator, .seal: nil
    }
  }

  /// The state that a plan leaves for its user, if this is the last record of the user's part.
  public var settled: SettledChange? {
    get {
      switch self {
      case .grant(let record): record.settled
      case .reversal(let record): record.settled
      case .streak(let record): record.settled
      case .level(let record): record.settled
      case .refused(let record): record.settled
      default: nil
      }
    }
    set {
      switch self {
      case .grant(var record):
        record.settled = newValue
        self = .grant(record)
      case .reversal(var record):
        record.settled = newValue
        self = .reversal(record)
      case .streak(var record):
        record.settled = newValue
        self = .streak(record)
      case .level(var record):
        record.settled = newValue
        self = .level(record)
      case .refused(var record):
        record.settled = newValue
        self = .refused(record)
      default: break
      }
    }
  }

  /// The program that handed the record in; nil for the hand, and for what nobody hands in.
  public var sender: String? {
    switch self {
    case .evidence(let record): record.sender
    case .credit(let record): record.sender
    default: nil
    }
  }

  /// The line of the act behind the record; nil where a record needs none or names none.
  public var by: UInt64? {
    get {
      switch self {
      case .user(let record): record.by
      case .rules(let record): record.by
      case .evidence(let record): record.by
      case .credit(let record): record.by
      case .grant(let record): record.by
      case .excuse(let record): record.by
      case .reversal(let record): record.by
      default: nil
      }
    }
    set {
      switch self {
      case .user(var record):
        record.by = newValue
        self = .user(record)
      case .rules(var record):
        record.by = newValue
        self = .rules(record)
      case .evidence(var record):
        record.by = newValue
        self = .evidence(record)
      case .credit(var record):
        record.by = newValue
        self = .credit(record)
      case .grant(var record):
        record.by = newValue
        self = .grant(record)
      case .excuse(var record):
        record.by = newValue
        self = .excuse(record)
      case .reversal(var record):
        record.by = newValue
        self = .reversal(record)
      default: break
      }
    }
  }

  /// The id of the request that two people agreed on before this; nil where one person is enough, or none is needed.
  public var request: String? {
    switch self {
    case .credit(let record): record.request
    case .operator(let record): record.request
    default: nil
    }
  }

  /// Whether the record can carry the state that a plan leaves.
  public var carriesSettled: Bool {
    switch self {
    case .grant, .reversal, .streak, .level, .refused: true
    default: false
    }
  }
}
