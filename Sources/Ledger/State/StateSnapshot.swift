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
    try? code(&state, &writer)
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
      try code(&state, &reader)
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

  /// Writes a state, or reads one into its place: all from which the rest follows.
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
      try coder.code(&excuse.record.reason)
      try coder.code(&excuse.record.actor)
    }
    try coder.code(&state.lateForAll)
    try coder.code(&state.acceptedClock, blank: state.at) { (coder, clock) throws(SnapshotError) in
      try coder.code(&clock)
    }
    try coder.code(&state.confirmedCloses)
    try code(&state.jobs, &coder)
    try coder.code(&state.users.zones.since, blank: .earliest) {
      (coder, since) throws(SnapshotError) in try coder.code(&since)
    }
    try coder.code(&state.users.accounts, blank: AccountSnapshot.blank) {
      (coder, account) throws(SnapshotError) in try AccountSnapshot.code(&account, &coder)
    }
  }

  private static func code(
    _ jobs: inout JobMarks, _ coder: inout some SnapshotCoder
  ) throws(SnapshotError) {
    try coder.code(&jobs.lastRuns, blank: RunMark(nominal: .earliest, nominalLocal: "")) {
      (coder, run) throws(SnapshotError) in
      var (nominal, local) = (run.nominal, run.nominalLocal)
      try coder.code(&nominal)
      try coder.code(&local)
      run = RunMark(nominal: nominal, nominalLocal: local)
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
