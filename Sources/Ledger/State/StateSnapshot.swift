public import CivilTime
import Evidence
import RewardRules

/// A state as bytes.
///
/// Only a cache: it stands for a seal of the ledger and can be made again from it. Its form may change with any version;
/// `read` refuses what it does not know, and the ledger is then read from its beginning.
public enum StateSnapshot {
  /// The form's number; another one is not read.
  private static let form: Int64 = 7

  /// The bytes of `state`, which follows everybody; equal states have equal bytes.
  public static func write(_ state: LedgerState) -> [UInt8] {
    var state = state
    var writer = SnapshotWriter(reserving: state.accounts.count * 192 + 4_096)
    var form = form
    // A writer never throws.
    try? writer.code(&form)
    try? code(&state, &writer)
    try? codeAccounts(&state, &writer)
    return writer.bytes
  }

  /// The bytes of what `state` holds that is not about single users, as if its last record were `seq`, of `at`.
  public static func commonBytes(of state: LedgerState, seq: UInt64, at: Instant) -> [UInt8] {
    var state = state
    (state.seq, state.at) = (seq, at)
    var writer = SnapshotWriter()
    var form = form
    try? writer.code(&form)
    try? code(&state, &writer)
    return writer.bytes
  }

  /// Reads the accounts in `bytes` one after the other, in order; each comes with the names of its zones. Returns the bytes of
  /// what is not about single users.
  public static func readAccounts(
    _ bytes: [UInt8], _ body: (Account, _ zones: [String]) -> Void
  ) throws(SnapshotError) -> [UInt8] {
    try bytes.withUnsafeBufferPointer { (buffer) throws(SnapshotError) in
      var reader = SnapshotReader(buffer)
      let state = try readCommons(&reader)
      let commons = Array(buffer[..<reader.offset])
      var count = 0
      try reader.code(&count)
      guard count >= 0 else { throw SnapshotError(description: "a list has no length") }
      for _ in 0..<count {
        var account = AccountSnapshot.blank
        try AccountSnapshot.code(&account, &reader)
        body(account, state.users.zones.names)
      }
      return commons
    }
  }

  private static func readCommons(
    _ reader: inout SnapshotReader
  ) throws(SnapshotError) -> LedgerState {
    var form: Int64 = 0
    try reader.code(&form)
    guard form == Self.form else {
      throw SnapshotError(description: "the snapshot has the form \(form), not \(Self.form)")
    }
    var state = LedgerState()
    try code(&state, &reader)
    return state
  }

  /// The state that `bytes` hold.
  public static func read(_ bytes: [UInt8]) throws(SnapshotError) -> LedgerState {
    try bytes.withUnsafeBufferPointer { (buffer) throws(SnapshotError) in
      var reader = SnapshotReader(buffer)
      var state = try readCommons(&reader)
      try codeAccounts(&state, &reader)
      guard reader.isAtEnd else {
        throw SnapshotError(description: "something follows the snapshot")
      }
      try state.users.restore()
      for rule in state.ruleTexts { state.rules.add(rule.text, seq: rule.seq) }
      return state
    }
  }

  /// The bytes of one account: equal bytes mean equal accounts.
  public static func bytes(of account: Account) -> [UInt8] {
    var account = account
    var writer = SnapshotWriter()
    try? AccountSnapshot.code(&account, &writer)
    return writer.bytes
  }

  /// Writes what of a state is not about single users, or reads it into its place: all from which the rest follows.
  private static func code(
    _ state: inout LedgerState, _ coder: inout some SnapshotCoder
  ) throws(SnapshotError) {
    try coder.code(&state.seq)
    try coder.code(&state.at)
    try coder.code(&state.ledger)
    try coder.code(&state.isSimulated, blank: false) { (coder, value) throws(SnapshotError) in
      try coder.code(&value)
    }
    try coder.code(&state.users.zones.names)
    let blankWindow = DayWindow(day: Day(number: 0), start: .earliest, end: .latest)
    try coder.code(&state.closes, blank: ZoneCloses(last: blankWindow)) {
      (coder, closes) throws(SnapshotError) in try closes.code(&coder)
    }
    try coder.code(&state.ruleTexts, blank: LedgerState.RuleText(seq: 0, text: "")) {
      (coder, rule) throws(SnapshotError) in
      try coder.code(&rule.seq)
      try coder.code(&rule.text)
    }
    try coder.code(&state.drawKey)
    let day = Day(number: 0)
    let blankExcuse = LedgerState.Excuse(
      seq: 0, record: ExcuseRecord(from: day, to: day, reason: "", actor: ""))
    try coder.code(&state.excuses, blank: blankExcuse) { (coder, excuse) throws(SnapshotError) in
      try coder.code(&excuse.seq)
      try coder.code(&excuse.record.from)
      try coder.code(&excuse.record.to)
      try coder.code(&excuse.record.users, blank: []) { (coder, users) throws(SnapshotError) in
        try coder.code(&users)
      }
      let blankOutage = ExcuseRecord.Outage(from: .earliest, to: .earliest)
      try coder.code(&excuse.record.outage, blank: blankOutage) {
        (coder, outage) throws(SnapshotError) in
        try coder.code(&outage.from)
        try coder.code(&outage.to)
      }
      try coder.code(&excuse.record.zone, blank: "") { (coder, zone) throws(SnapshotError) in
        try coder.code(&zone)
      }
      try coder.code(&excuse.record.withdraws, blank: 0) { (coder, seq) throws(SnapshotError) in
        try coder.code(&seq)
      }
      try coder.code(&excuse.record.reason)
      try coder.code(&excuse.record.actor)
    }
    try coder.code(&state.lateForAll)
    try coder.code(&state.acceptedClock, blank: state.at) { (coder, clock) throws(SnapshotError) in
      try coder.code(&clock)
    }
    try coder.code(&state.confirmedCloses)
    try code(&state.jobs, &coder)
    let blankRequest = RequestMark(what: "", reason: "", actor: "", at: .earliest, approver: nil)
    try coder.code(&state.requests.all, blank: blankRequest) {
      (coder, request) throws(SnapshotError) in
      try coder.code(&request.what)
      try coder.code(&request.reason)
      try coder.code(&request.actor)
      try coder.code(&request.at)
      try coder.code(&request.approver)
    }
    try coder.code(&state.users.zones.since, blank: .earliest) {
      (coder, since) throws(SnapshotError) in try coder.code(&since)
    }
  }

  private static func codeAccounts(
    _ state: inout LedgerState, _ coder: inout some SnapshotCoder
  ) throws(SnapshotError) {
    try coder.code(&state.users.accounts, blank: AccountSnapshot.blank) {
      (coder, account) throws(SnapshotError) in try AccountSnapshot.code(&account, &coder)
    }
  }

  private static func code(
    _ jobs: inout JobMarks, _ coder: inout some SnapshotCoder
  ) throws(SnapshotError) {
    try coder.code(&jobs.lastRuns, blank: RunMark(nominal: .earliest, nominalLocal: "")) {
      (coder, run) throws(SnapshotError) in
      var (nominal, local, schedule) = (run.nominal, run.nominalLocal, run.schedule)
      try coder.code(&nominal)
      try coder.code(&local)
      try coder.code(&schedule)
      run = RunMark(nominal: nominal, nominalLocal: local, schedule: schedule)
    }
    try coder.code(
      &jobs.lastOutcomes, blank: RunOutcome(outcome: "", reason: nil, at: .earliest)
    ) {
      (coder, run) throws(SnapshotError) in
      try coder.code(&run.outcome)
      try coder.code(&run.reason)
      try coder.code(&run.at)
    }
    try coder.code(&jobs.pauses, blank: PauseMark(since: .earliest, reason: "", actor: "")) {
      (coder, pause) throws(SnapshotError) in
      var (since, reason, actor) = (pause.since, pause.reason, pause.actor)
      try coder.code(&since)
      try coder.code(&reason)
      try coder.code(&actor)
      pause = PauseMark(since: since, reason: reason, actor: actor)
    }
  }
}

extension ZoneCloses {
  fileprivate mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    var (day, start, end) = (last.day, last.start, last.end)
    try coder.code(&day)
    try coder.code(&start)
    try coder.code(&end)
    last = DayWindow(day: day, start: start, end: end)
    try coder.code(&shares, blank: Share(streaks: 0, broken: 0)) {
      (coder, share) throws(SnapshotError) in
      try coder.code(&share.streaks)
      try coder.code(&share.broken)
    }
  }
}

extension LedgerState {
  /// Whether an account of a snapshot, whose zones have `names`, is that of this state; nil when this state does not know the
  /// user.
  public func holds(_ account: Account, zones names: [String]) -> Bool? {
    guard let index = index(of: account.id) else { return nil }
    return users.adapted(account, zones: names).map { $0 == accounts[index] } ?? false
  }

  /// Takes over the accounts that `other` holds of users of this state. Returns whether all of them fit in.
  public mutating func takeAccounts(of other: LedgerState) -> Bool {
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
  /// An account of another table, whose zones have `names`, as one of this table; nil when that does not know a zone.
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
