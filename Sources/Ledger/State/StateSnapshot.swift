public import CivilTime
public import Described
import Evidence
import RewardRules

/// The binary encoding of a state.
///
/// It is only a cache: it stands for a seal of the ledger and can be rebuilt from it. Its form may change with any
/// version. `read` refuses a form it does not know, and the ledger is then read from the beginning.
public enum StateSnapshot {
  /// The number of the form; no other form is read.
  private static let form: Int64 = 15

  /// Returns the bytes of `state`, which follows everybody. Equal states have equal bytes.
  public static func write(_ state: LedgerState) -> [UInt8] {
    var writer = BinaryWriter(reserving: state.accounts.count * 192 + 4_096)
    writeCommons(of: state, with: &writer)
    _ = writer.integer(state.accounts.count)
    for page in state.accounts.pages {
      for index in page.indices { _ = writer.object(page[index]) }
    }
    return writer.bytes
  }

  /// Returns the bytes of the part of `state` not about single users, as if its last record were `seq`, recorded at `at`.
  public static func commonBytes(of state: LedgerState, seq: UInt64, at: Instant) -> [UInt8] {
    var state = state
    (state.seq, state.at) = (seq, at)
    var writer = BinaryWriter()
    writeCommons(of: state, with: &writer)
    return writer.bytes
  }

  private static func writeCommons(of state: LedgerState, with writer: inout BinaryWriter) {
    _ = writer.integer(form)
    _ = writer.object(state)
  }

  /// Reads the accounts in `bytes` in order, each with the names of its zones. Returns the bytes of the part not
  /// about single users.
  public static func readAccounts(
    _ bytes: [UInt8], _ body: (Account, _ zones: [String]) -> Void
  ) throws(BinaryError) -> [UInt8] {
    try bytes.withUnsafeBufferPointer { (buffer) throws(BinaryError) in
      var reader = BinaryReader(buffer)
      let state = try readCommons(&reader)
      let commons = Array(buffer[..<reader.offset])
      for _ in 0..<(try reader.count()) {
        body(try Account(&reader, nil), state.users.zones.names)
      }
      return commons
    }
  }

  private static func readCommons(
    _ reader: inout BinaryReader
  ) throws(BinaryError) -> LedgerState {
    let form: Int64 = try reader.integer(nil)
    guard form == Self.form else {
      throw BinaryError(description: "the snapshot has format \(form), not \(Self.form)")
    }
    return try LedgerState(&reader, nil)
  }

  /// Reads the state in `bytes`.
  public static func read(_ bytes: [UInt8]) throws(BinaryError) -> LedgerState {
    try bytes.withUnsafeBufferPointer { (buffer) throws(BinaryError) in
      var reader = BinaryReader(buffer)
      var state = try readCommons(&reader)
      for _ in 0..<(try reader.count()) {
        state.users.accounts.append(try Account(&reader, nil))
      }
      guard reader.isAtEnd else {
        throw BinaryError(description: "there are bytes after the end of the snapshot")
      }
      try state.users.restore()
      for text in state.ruleTexts { state.rules.add(text) }
      return state
    }
  }

  /// Returns the bytes of one account. Equal bytes mean equal accounts.
  public static func bytes(of account: Account) -> [UInt8] {
    var writer = BinaryWriter()
    _ = writer.object(account)
    return writer.bytes
  }
}

/// The part of a state not about single users, from which the rest follows.
extension LedgerState: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    seq = try coder.field("seq", value?.pointee.seq)
    at = try coder.field("at", value?.pointee.at)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    isSimulated = try coder.optional("simulated", value?.pointee.isSimulated)
    users.zones.names = try coder.field("zones", value?.pointee.users.zones.names)
    closes = try coder.field("closes", value?.pointee.closes)
    ruleTexts = try coder.field("rules", value?.pointee.ruleTexts)
    drawKey = try coder.optional("drawKey", value?.pointee.drawKey)
    excuses = try coder.field("excuses", value?.pointee.excuses)
    lateForAll = try coder.field("lateForAll", value?.pointee.lateForAll)
    acceptedClock = try coder.optional("acceptedClock", value?.pointee.acceptedClock)
    let confirmed = try coder.field(
      "confirmedCloses", value.map { Set($0.pointee.confirmedCloses.map(\.description)) })
    confirmedCloses = Set(confirmed.compactMap { ZoneDay($0) })
    jobs.lastRuns = try coder.field("lastRuns", value?.pointee.jobs.lastRuns)
    jobs.lastOutcomes = try coder.field("lastOutcomes", value?.pointee.jobs.lastOutcomes)
    jobs.pauses = try coder.field("pauses", value?.pointee.jobs.pauses)
    requests.all = try coder.field("requests", value?.pointee.requests.all)
    users.zones.since = try coder.field("since", value?.pointee.users.zones.since)
    dayCredits = try coder.field("dayCredits", value?.pointee.dayCredits)
    limits = try coder.optional("limits", value?.pointee.limits)
    signers = try coder.optional("signers", value?.pointee.signers)
    sources = try coder.optional("sources", value?.pointee.sources)
    hands = try coder.field("hands", value?.pointee.hands)
  }
}

extension ZoneCloses: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    last = try DayWindow(&coder, value?.pointer(to: \.last))
    shares = try coder.field("shares", value?.pointee.shares)
  }
}

extension ZoneCloses.Share: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    streaks = try coder.field("streaks", value?.pointee.streaks)
    broken = try coder.field("broken", value?.pointee.broken)
  }
}

extension LedgerState.RuleText: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    seq = try coder.field("seq", value?.pointee.seq)
    text = try coder.field("text", value?.pointee.text)
    defaults = try coder.optional("defaults", value?.pointee.defaults)
  }
}

extension LedgerState.Excuse: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    seq = try coder.field("seq", value?.pointee.seq)
    // In its own order, which is older than the record's.
    record = ExcuseRecord(
      from: try coder.field("from", value?.pointee.record.from),
      to: try coder.field("to", value?.pointee.record.to),
      users: try coder.optional("users", value?.pointee.record.users), reason: "", actor: "")
    record.outage = try coder.optional("outage", value?.pointee.record.outage)
    record.zone = try coder.optional("zone", value?.pointee.record.zone)
    record.withdraws = try coder.optional("withdraws", value?.pointee.record.withdraws)
    record.reason = try coder.field("reason", value?.pointee.record.reason)
    record.actor = try coder.field("actor", value?.pointee.record.actor)
  }
}

extension RunMark: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    nominal = try coder.field("nominal", value?.pointee.nominal)
    nominalLocal = try coder.field("nominalLocal", value?.pointee.nominalLocal)
    schedule = try coder.optional("schedule", value?.pointee.schedule)
  }
}

extension RunOutcome: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    outcome = try coder.field("outcome", value?.pointee.outcome)
    reason = try coder.optional("reason", value?.pointee.reason)
    at = try coder.field("at", value?.pointee.at)
  }
}

extension PauseMark: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    since = try coder.field("since", value?.pointee.since)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
  }
}

extension RequestMark: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    what = try coder.field("what", value?.pointee.what)
    reason = try coder.field("reason", value?.pointee.reason)
    round = try coder.field("round", value?.pointee.round)
    at = try coder.field("at", value?.pointee.at)
    actor = try coder.field("actor", value?.pointee.actor)
    isSigned = try coder.field("isSigned", value?.pointee.isSigned)
    approver = try coder.optional("approver", value?.pointee.approver)
    isApprovalSigned = try coder.field("isApprovalSigned", value?.pointee.isApprovalSigned)
    isUsed = try coder.field("isUsed", value?.pointee.isUsed)
    isDeclined = try coder.field("isDeclined", value?.pointee.isDeclined)
  }
}

extension LedgerState {
  /// Returns whether an account of a snapshot, whose zones have `names`, equals this state's; nil if this state does
  /// not know the user.
  public func holds(_ account: Account, zones names: [String]) -> Bool? {
    guard let index = index(of: account.id) else { return nil }
    return users.adapted(account, zones: names).map { $0 == accounts[index] } ?? false
  }

  /// Replaces accounts of this state's users with those in `other`. Returns whether all of them fit.
  public mutating func adoptAccounts(of other: LedgerState) -> Bool {
    for account in other.accounts {
      guard let index = index(of: account.id),
        let adapted = users.adapted(account, zones: other.users.zones.names)
      else { return false }
      users.accounts[index] = adapted
    }
    return true
  }
}

extension UserTable {
  /// Returns an account from another table, whose zones have `names`, adapted to this table; nil if this table lacks a zone.
  fileprivate func adapted(_ account: Account, zones names: [String]) -> Account? {
    func place(_ zone: Int32) -> Int32? {
      names.indices.contains(Int(zone)) ? zones.index(of: names[Int(zone)]) : nil
    }
    var adapted = account
    guard let zone = place(account.zone) else { return nil }
    adapted.zone = zone
    for index in account.comebacks.indices {
      let comeback = account.comebacks[index]
      guard let zone = place(comeback.zone) else { return nil }
      adapted.comebacks[index] = Comeback(
        knownAt: comeback.knownAt, leftAt: comeback.leftAt, from: comeback.from, zone: zone)
    }
    return adapted
  }
}
