import AuditPage
import CivilTime
import Engine
import Ledger
import RewardRules

/// Compares each `close` with the days that it closes: users, how their days were judged, and grants. Checks whether it left anyone behind.
struct CloseSumCheck: AuditCheck {
  static let id = 8
  static let name = "close totals"

  private(set) var list: FindingList
  var examined: Int { tally.closes.count }
  private var tally = CloseTally()
  private var leftBehind = LeftBehind()

  init(list: FindingList) { self.list = list }

  /// Examines a close, or a line about a user, which may end a day for that user alone.
  mutating func add(_ record: Record, before state: LedgerState) {
    leftBehind.add(record, before: state)
    tally.add(record, before: state)
  }

  /// Examines how days of a user were judged.
  mutating func add(_ days: [EvaluatedDay], of history: AccountHistory) {
    tally.add(days, of: history)
  }

  /// Adds how days were judged of users who were read from the beginning.
  mutating func add(_ whole: CloseTally) { tally.mergeJudged(whole) }

  /// Examines the users of this share at the end.
  mutating func finish(_ state: LedgerState, zones: any ZoneSource) {
    for finding in leftBehind.findings(state, zones: zones) { list.add(finding) }
  }

  /// Adds the results for other users; every share of the users sees every close.
  mutating func merge(_ other: CloseSumCheck) {
    list.merge(other.list)
    tally.merge(other.tally)
  }

  mutating func conclude() {
    var tellsCoins = false
    for (seq, close) in tally.closes {
      let portion = tally.portion(of: seq) ?? CloseTally.Portion()
      for problem in Self.problems(of: close, portion, tellsCoins: tellsCoins) {
        list.add(
          AuditReport.Finding(
            "the close of \(close.zone) states \(problem)", seq: seq, day: close.window.day))
      }
      tellsCoins = tellsCoins || close.coins != nil
    }
  }

  /// Returns what a close states, each time with what it should; `tellsCoins` if an earlier close stated its coins.
  private static func problems(
    of close: CloseRecord, _ portion: CloseTally.Portion, tellsCoins: Bool
  ) -> [String] {
    var problems: [String] = []
    let recorded = close.amounts(whereUntold: portion.amounts)
    if recorded != portion.amounts {
      problems.append("\(recorded.text), but its grants add up to \(portion.amounts.text)")
    }
    if tellsCoins, close.coins == nil { problems.append("no coins, which those before it do") }
    if close.users != portion.users {
      problems.append("\(close.users) users, but closes the day of \(portion.users)")
    }
    let (stated, right) = (close.counts, portion.counts)
    let counts = [
      ("met", stated.met, right.met), ("not met", stated.notMet, right.notMet),
      ("unknown", stated.unknown, right.unknown), ("counted", stated.counted, right.counted),
      ("missed", stated.missed, right.missed), ("held", stated.held, right.held),
      ("excused", stated.excused, right.excused), ("streaks", stated.streaks, right.streaks),
      ("broken", stated.broken, right.broken),
    ]
    problems += counts.filter { $0.1 != $0.2 }.map { "\($0.1) \($0.0), but its days give \($0.2)" }
    return problems
  }
}
