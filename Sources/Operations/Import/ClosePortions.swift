import CivilTime
import Engine
import Ledger
import RewardRules

/// The part of every close of a ledger that concerns some of its users, and the requests that wait for a second person.
///
/// Users, sums and streaks come from the ledger's lines. The other counts come from judging the days again by what was
/// known at their close.
struct ClosePortions: PastGathering {
  /// The contribution of some users to a close.
  struct Portion: Sendable {
    var users = 0
    var counts = CloseCounts()
    var amounts = Amounts()
  }

  /// The portions by the lines of their closes; a close that closes no day of the users has none.
  private(set) var portions: [UInt64: Portion] = [:]
  /// The ids of requests waiting for a second person.
  private(set) var waitingRequests: Set<String> = []
  /// The ids of requests that were carried out, perhaps before they were made once more.
  private var carriedOut: Set<String> = []
  private var cohorts = CloseCohorts()
  /// The close that puts a move into effect, by the user's line about the move.
  private var closesOfMoves: [UInt64: UInt64] = [:]

  mutating func add(_ record: Record, before state: LedgerState) {
    if let request = record.body.request { carriedOut.insert(request) }
    var settled: [(place: Int, portion: Portion)] = []
    cohorts.add(
      record, before: state,
      each: { settled.append(($0, Portion(of: $2, settledBy: $1))) })
    for (place, portion) in settled {
      portions[cohorts.closes[place].seq, default: Portion()] += portion
    }
    if case .user = record.body, let place = settled.first?.place {
      closesOfMoves[record.seq] = cohorts.closes[place].seq
    }
  }

  mutating func examine(_ timeline: Timeline) {
    guard let history = timeline.history else { return }
    let closes = Dictionary(history.days.map { ($0.day, $0.seq) }) { first, _ in first }
    for day in timeline.evaluate(.closed, cutoff: .whatTheCloseKnew).days {
      guard let seq = closes[day.day] else { continue }
      var counts = CloseCounts(of: day)
      (counts.streaks, counts.broken) = (0, 0)
      portions[closesOfMoves[seq] ?? seq]?.counts += counts
    }
  }

  mutating func finish(_ state: LedgerState) {
    waitingRequests = Set(state.requests.waiting.map(\.id)).subtracting(carriedOut)
  }

  mutating func merge(_ other: ClosePortions) {
    carriedOut.formUnion(other.carriedOut)
    for (seq, portion) in other.portions { portions[seq, default: Portion()] += portion }
  }
}

extension ClosePortions.Portion {
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

  fileprivate static func += (left: inout Self, right: Self) {
    left.users += right.users
    left.counts += right.counts
    left.amounts += right.amounts
  }
}
