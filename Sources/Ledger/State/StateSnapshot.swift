import CivilTime
import Evidence
import RewardRules

/// A state as bytes.
///
/// Only a cache: it stands for a seal of the ledger and can be made again from it. Its form may change with any version;
/// `read` refuses what it does not know, and the ledger is then read from its beginning.
public enum StateSnapshot {
  /// The form's number; another one is not read.
  private static let form: Int64 = 3

  /// The bytes of `state`, which follows everybody; equal states have equal bytes.
  public static func write(_ state: LedgerState) -> [UInt8] {
    var state = state
    var writer = SnapshotWriter(reserving: state.accounts.count * 192 + 4_096)
    var form = form
    // A writer never throws.
    try? writer.code(&form)
    try? state.code(&writer)
    return writer.bytes
  }

  /// The state that `bytes` hold.
  public static func read(_ bytes: [UInt8]) throws(SnapshotError) -> LedgerState {
    try bytes.withUnsafeBufferPointer { (buffer) throws(SnapshotError) in
      var reader = SnapshotReader(buffer)
      var form: Int64 = 0
      try reader.code(&form)
      guard form == Self.form else {
        throw SnapshotError(description: "the snapshot has the form \(form), not \(Self.form)")
      }
      var state = LedgerState()
      try state.code(&reader)
      guard reader.isAtEnd else {
        throw SnapshotError(description: "something follows the snapshot")
      }
      return state
    }
  }

  /// The bytes of one account: equal bytes mean equal accounts.
  public static func bytes(of account: Account) -> [UInt8] {
    var account = account
    var writer = SnapshotWriter()
    try? account.code(&writer)
    return writer.bytes
  }
}

extension LedgerState {
  fileprivate mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    try coder.code(&seq)
    try coder.code(&at)
    try coder.code(&ledger)
    try coder.code(&isSimulated, blank: false) { (coder, value) throws(SnapshotError) in
      try coder.code(&value)
    }
    try coder.code(&zones)
    let blankWindow = DayWindow(day: Day(number: 0), start: .earliest, end: .latest)
    try coder.code(&closes, blank: ZoneCloses(last: blankWindow)) {
      (coder, closes) throws(SnapshotError) in try closes.code(&coder)
    }
    try coder.code(&ruleTexts, blank: RuleText(seq: 0, text: "")) {
      (coder, rule) throws(SnapshotError) in
      try coder.code(&rule.seq)
      try coder.code(&rule.text)
    }
    try coder.code(&drawKey)
    let day = Day(number: 0)
    let blankExcuse = Excuse(
      seq: 0, record: ExcuseRecord(from: day, to: day, reason: "", actor: ""))
    try coder.code(&excuses, blank: blankExcuse) { (coder, excuse) throws(SnapshotError) in
      try coder.code(&excuse.seq)
      try coder.code(&excuse.record.from)
      try coder.code(&excuse.record.to)
      try coder.code(&excuse.record.users, blank: []) { (coder, users) throws(SnapshotError) in
        try coder.code(&users)
      }
      try coder.code(&excuse.record.reason)
      try coder.code(&excuse.record.actor)
    }
    try coder.code(&lateForAll)
    try coder.code(&acceptedClock, blank: at) { (coder, clock) throws(SnapshotError) in
      try coder.code(&clock)
    }
    try coder.code(&confirmedCloses)
    try codeJobs(&coder)
    try coder.code(&accounts, blank: Account.blank) { (coder, account) throws(SnapshotError) in
      try account.code(&coder)
    }
    rebuild()
  }

  private mutating func codeJobs(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    try coder.code(&lastRuns, blank: RunMark(nominal: .earliest, nominalLocal: "")) {
      (coder, run) throws(SnapshotError) in
      var (nominal, local) = (run.nominal, run.nominalLocal)
      try coder.code(&nominal)
      try coder.code(&local)
      run = RunMark(nominal: nominal, nominalLocal: local)
    }
    try coder.code(&pauses, blank: PauseMark(since: .earliest, reason: "", actor: "")) {
      (coder, pause) throws(SnapshotError) in
      var (since, reason, actor) = (pause.since, pause.reason, pause.actor)
      try coder.code(&since)
      try coder.code(&reason)
      try coder.code(&actor)
      pause = PauseMark(since: since, reason: reason, actor: actor)
    }
    try coder.code(&zonesSince, blank: .earliest) { (coder, since) throws(SnapshotError) in
      try coder.code(&since)
    }
  }

  /// Makes what follows from the rest: the rules and the tables by which accounts and zones are found.
  private mutating func rebuild() {
    guard indexByID.isEmpty else { return }
    let all = accounts
    accounts = []
    accounts.reserveCapacity(all.count)
    for (index, zone) in zones.enumerated() { zoneIndex[zone] = Int32(index) }
    for account in all {
      if account.isMoving { moving.insert(accounts.count) }
      if account.isPresent { population[account.zone, default: 0] += 1 }
      append(account)
    }
    for rule in ruleTexts { rules.add(rule.text, seq: rule.seq) }
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
