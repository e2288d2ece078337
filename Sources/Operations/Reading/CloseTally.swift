import CivilTime
import Engine
import Ledger
import RewardRules

/// What the closes of a ledger must state about some of its users.
///
/// Users, sums and streaks come from the ledger's lines. The other counts come from judging the days again by what was known at their
/// close.
struct CloseTally: Sendable {
  /// The contribution of some users to a close.
  struct Portion: Sendable {
    var users = 0
    var counts = CloseCounts()
    var amounts = Amounts()
  }

  /// The closes so far, in the order of the ledger.
  var closes: [(seq: UInt64, close: CloseRecord)] { cohorts.closes }
  /// What lines say, by the lines of the closes; a close that closes no day of the users has none.
  private var portions: [UInt64: Portion] = [:]
  /// How the days were judged, by the same lines.
  private var judged: [UInt64: CloseCounts] = [:]
  private var cohorts = CloseCohorts()
  /// The close that puts a move into effect, by the user's line about the move.
  private var closesOfMoves: [UInt64: UInt64] = [:]

  /// Returns the portion of the close in a line; nil if it closes no day of the users.
  func portion(of seq: UInt64) -> Portion? {
    var portion = portions[seq]
    if let counts = judged[seq] { portion?.counts += counts }
    return portion
  }

  /// Processes the next record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .close, .user: break
    default: return
    }
    // Held outside `self` while `cohorts` is mutated.
    var settled: [(place: Int, line: UInt64?, portion: Portion)] = []
    cohorts.add(
      record, before: state,
      each: { settled.append(($0, $2.line, Portion(of: $2, settledBy: $1))) })
    for (place, line, portion) in settled {
      portions[closes[place].seq, default: Portion()] += portion
      if let line { closesOfMoves[line] = closes[place].seq }
    }
  }

  /// Adds how `days` of a user were judged at their close. Leaves out those up to `counted`, and those that no close read here has closed.
  mutating func add(_ days: [EvaluatedDay], of history: AccountHistory, behind counted: Day? = nil)
  {
    let lines = Dictionary(history.days.map { ($0.day, $0.seq) }) { first, _ in first }
    for day in days where counted.map({ day.day > $0 }) ?? true {
      guard let line = lines[day.day] else { continue }
      let close = closesOfMoves[line] ?? line
      if portions[close] == nil { continue }
      var counts = CloseCounts(of: day)
      (counts.streaks, counts.broken) = (0, 0)
      judged[close, default: CloseCounts()] += counts
    }
  }

  /// Adds the portions of other users.
  mutating func merge(_ other: CloseTally) {
    for (seq, portion) in other.portions { portions[seq, default: Portion()] += portion }
    mergeJudged(other)
  }

  /// Adds how days were judged elsewhere, of users whose lines were processed here.
  mutating func mergeJudged(_ other: CloseTally) {
    for (seq, counts) in other.judged { judged[seq, default: CloseCounts()] += counts }
  }
}

extension CloseTally.Portion {
  /// Computes a user's contribution to the close of the day.
  fileprivate init(of member: CloseCohorts.Member, settledBy close: CloseRecord) {
    let day = close.window.day
    users = 1
    amounts = member.grants.standingAmounts(through: day)
    if member.streak.length > 0 {
      counts.streaks = 1
      counts.broken = member.marks.contains { $0.day == day && $0.what == .broken } ? 1 : 0
    }
  }

  static func += (left: inout Self, right: Self) {
    left.users += right.users
    left.counts += right.counts
    left.amounts += right.amounts
  }
}
