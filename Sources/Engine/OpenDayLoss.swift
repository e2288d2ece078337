public import CivilTime
import Ledger
public import RewardRules

/// What a user would lose of days that are not closed by a change of closed days or of rules. Pure.
///
/// Such days are not settled: they follow the law at once, and no waiver covers what they lose. So an operator is told beforehand.
/// What a plan's own records take from them is not among it: that the plan tells, and waives.
public struct OpenDayLoss: Sendable, Equatable {
  /// The running day.
  public let day: Day
  /// How much less of each unit there would be, gains set off; zero where there would not be less.
  public let amounts: Amounts
  /// The items that the user would own no more.
  public let items: [String]
  /// The booster of these days that would end earlier; nil where none would.
  public let booster: Booster?

  /// A booster that would end earlier.
  public struct Booster: Sendable, Equatable {
    /// When it ends.
    public let was: Instant
    /// When it would end; nil where there would be none.
    public let until: Instant?
  }

  /// What follows once `records` about closed days are in the ledger; nil when nothing would be lost, or no day is open.
  init?(_ timeline: Timeline, once records: [RecordBody]) {
    let changed = timeline.account.applying(records, timeline.rules)
    // What acts take back themselves everybody knows.
    let taken = records.compactMap { record in
      if case .reversal(let reversal) = record { reversal.key } else { nil }
    }
    self.init(
      OpenDayStanding(timeline, timeline.account, except: Set(taken)),
      to: OpenDayStanding(timeline, changed),
      besides: OpenDayStanding.amounts(of: changed) - OpenDayStanding.amounts(of: timeline.account),
      RecordTotals(records).lostItems, on: timeline.openWindows.last)
  }

  /// What would be lost if the open days of `timeline` were judged as those of `other`, with nothing else changed; nil for nothing.
  init?(_ timeline: Timeline, judgedAs other: Timeline) {
    self.init(
      OpenDayStanding(timeline, timeline.account), to: OpenDayStanding(other, other.account),
      besides: Amounts(), [], on: timeline.openWindows.last)
  }

  /// `amounts` and `items` are changed by records and not by what follows from them.
  private init?(
    _ was: OpenDayStanding, to now: OpenDayStanding, besides amounts: Amounts,
    _ items: Set<String>, on running: UserWindow?
  ) {
    guard let running else { return nil }
    day = running.day
    let less = was.amounts + amounts - now.amounts
    self.amounts = Amounts { max(0, less[$0]) }
    self.items = was.items.subtracting(now.items).subtracting(items).sorted()
    booster = was.boosterUntil.flatMap { end in
      now.boosterUntil.map { $0 < end } ?? true ? Booster(was: end, until: now.boosterUntil) : nil
    }
    if self.amounts.isZero, self.items.isEmpty, booster == nil { return nil }
  }

  /// What would be lost, in words: `20 points less, no more fontColor/red`.
  public var text: String {
    var parts: [String] = []
    if let less = amounts.shortText { parts.append("\(less) less") }
    if !items.isEmpty { parts.append("no more \(items.joined(separator: ", "))") }
    if let booster {
      parts.append(
        booster.until.map { "a booster until \($0) instead of \(booster.was)" }
          ?? "no booster until \(booster.was)")
    }
    return parts.joined(separator: ", ")
  }
}

/// What a user has by days that are not closed, once they have followed all that is known.
private struct OpenDayStanding {
  /// What stands under the keys of these days.
  let amounts: Amounts
  /// All that the user owns.
  let items: Set<String>
  /// When the last booster ends that these days give; nil for none.
  let boosterUntil: Instant?

  /// Creates the open days of `timeline` behind the closed ones of `account`; boosters under `keys` are left out.
  init(_ timeline: Timeline, _ account: Account, except keys: Set<String> = []) {
    // As a service sees them: what a plan waives is settled then, and the account holds it.
    var present = Timeline(
      account: account, openWindows: timeline.openWindows, looks: timeline.looks,
      inboxThrough: timeline.inboxThrough, excuses: timeline.excuses, rules: timeline.rules,
      terms: timeline.terms)
    present.tried = timeline.tried
    var days = OpenDays(present, cause: "live")
    days.evaluate()
    let followed = account.applying(days.draft.bodies, timeline.rules)
    let standing = Self.standing(of: followed)
    amounts = Self.amounts(of: followed)
    items = standing.reduce(into: followed.state.owned) { $0.formUnion($1.net.items) }
    boosterUntil =
      standing.filter { !keys.contains($0.text) }.compactMap(\.net.booster?.until).max()
  }

  /// What stands under the keys of open days.
  static func amounts(of account: Account) -> Amounts {
    standing(of: account).reduce(Amounts()) { $0 + $1.net.amounts }
  }

  private static func standing(of account: Account) -> [StandingGrant] {
    account.grants.open.filter { !$0.isReversed }
  }
}
