package import CivilTime
import Ledger
package import RewardRules

/// What a change of closed days or of rules would take from a user's open days. Pure.
///
/// Open days can still change: they follow the law at once, and no waiver covers their losses, so an operator is
/// warned beforehand. What a plan's own records take is not included, since the plan itself reports and waives it.
package struct OpenDayLoss: Sendable, Equatable {
  /// The running day.
  package let day: Day
  /// The net loss of each unit; zero where nothing would be lost.
  package let amounts: Amounts
  /// The items that the user would no longer own.
  package let items: [String]
  /// The booster from these days that would end earlier; nil if none would.
  package let booster: Booster?

  /// A booster that would end earlier.
  package struct Booster: Sendable, Equatable {
    /// When it ends now.
    package let was: Instant
    /// When it would end; nil if there would be none.
    package let until: Instant?
  }

  /// Works out the loss once `records` about closed days are in the ledger; nil if nothing would be lost or no day is
  /// open.
  init?(_ timeline: Timeline, once records: [RecordBody]) {
    let changed = timeline.account.applying(records, timeline.rules)
    // What the acts themselves take back is known anyway.
    let taken = records.compactMap { record in
      if case .reversal(let reversal) = record { reversal.key } else { nil }
    }
    self.init(
      OpenDayStanding(timeline, timeline.account, except: Set(taken)),
      to: OpenDayStanding(timeline, changed),
      besides: OpenDayStanding.amounts(of: changed) - OpenDayStanding.amounts(of: timeline.account),
      RecordTotals(records).lostItems, on: timeline.openWindows.last)
  }

  /// Works out the loss if the open days of `timeline` were judged as in `other`, all else being equal; nil if there is
  /// none.
  init?(_ timeline: Timeline, judgedAs other: Timeline) {
    self.init(
      OpenDayStanding(timeline, timeline.account), to: OpenDayStanding(other, other.account),
      besides: Amounts(), [], on: timeline.openWindows.last)
  }

  /// Compares two standings. `amounts` and `items` are changed by the records themselves, not as a consequence.
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

  /// The loss in words, e.g. `20 points less, fontColor/red lost`.
  package var text: String {
    var parts: [String] = []
    if let less = amounts.shortText { parts.append("\(less) less") }
    if !items.isEmpty { parts.append("\(items.joined(separator: ", ")) lost") }
    if let booster {
      parts.append(
        booster.until.map { "a booster until \($0) instead of \(booster.was)" }
          ?? "no booster (it ran until \(booster.was))")
    }
    return parts.joined(separator: ", ")
  }
}

/// What a user has from open days, once they reflect everything known.
private struct OpenDayStanding {
  /// The sum of grants under keys of these days.
  let amounts: Amounts
  /// Everything the user owns.
  let items: Set<String>
  /// When the last booster from these days ends; nil if there is none.
  let boosterUntil: Instant?

  /// Creates the standing of the open days of `timeline` after the closed days of `account`, without boosters under
  /// `keys`.
  init(_ timeline: Timeline, _ account: Account, except keys: Set<String> = []) {
    // As a service sees them: by then a plan's waiver is settled, and the account holds it.
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

  /// Returns the sum of standing grants under keys of open days.
  static func amounts(of account: Account) -> Amounts {
    standing(of: account).reduce(Amounts()) { $0 + $1.net.amounts }
  }

  private static func standing(of account: Account) -> [StandingGrant] {
    account.grants.open.filter { !$0.isReversed }
  }
}
