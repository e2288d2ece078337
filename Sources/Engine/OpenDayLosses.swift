public import CivilTime
import Ledger
public import RewardRules

/// What users have by days that are not closed and would lose by a change of closed days or of rules. Pure.
///
/// Such days are not settled: they follow the law at once and without waivers. So an operator is told beforehand.
public struct OpenDayLosses: Sendable, Equatable {
  /// What of one key would go.
  public struct Loss: Sendable, Equatable {
    /// The key.
    public let key: String
    /// The day to whose limits it counts.
    public let day: Day
    /// How much less of each unit there would be; zero where there would not be less.
    public let amounts: Amounts
    /// The items that would go.
    public let items: [String]
    /// The booster that it gives, where that would end earlier; else nil.
    public let booster: Booster?

    /// A booster that would end earlier.
    public struct Booster: Sendable, Equatable {
      /// When it ends.
      public let was: Instant
      /// When it would end; nil where there would be none.
      public let until: Instant?
    }

    /// Nil where nothing would go.
    fileprivate init?(of grant: StandingGrant, to reward: Reward) {
      key = grant.text
      day = grant.day
      let less = grant.net.amounts - reward.amounts
      amounts = Amounts { max(0, less[$0]) }
      items = grant.net.items.filter { !reward.items.contains($0) }
      booster = grant.net.booster.flatMap { was in
        let until = reward.booster?.until
        return until.map { $0 < was.until } ?? true ? Booster(was: was.until, until: until) : nil
      }
      if amounts.isZero, items.isEmpty, booster == nil { return nil }
    }

    /// The key, and what of it would go, in words.
    public var text: String {
      var parts: [String] = []
      if let less = amounts.shortText { parts.append("gives \(less) less") }
      if !items.isEmpty { parts.append("gives \(items.joined(separator: ", ")) no more") }
      if let booster {
        parts.append(
          booster.until.map { "its booster ends at \($0) instead of \(booster.was)" }
            ?? "gives no booster until \(booster.was) any more")
      }
      return "\(key): \(parts.joined(separator: ", "))"
    }
  }

  /// The losses, by day and key.
  public let losses: [Loss]

  /// Nothing would go.
  init() { losses = [] }

  /// What of the open days of `timeline`, once they have followed what is known, would go where `changed` held instead; `keys`
  /// are known to go.
  init(_ timeline: Timeline, to changed: Timeline, except keys: Set<String> = []) {
    let after = changed.standingOnceFollowed
    let places = Dictionary(after.indices.map { (after[$0].text, $0) }) { first, _ in first }
    losses = timeline.standingOnceFollowed.compactMap { grant in
      guard !grant.isReversed, grant.key != nil, !keys.contains(grant.text) else { return nil }
      let left = places[grant.text].map { after[$0] }
      return Loss(of: grant, to: left.flatMap { $0.isReversed ? nil : $0.net } ?? Reward())
    }
    .sorted { ($0.day, $0.key) < ($1.day, $1.key) }
  }

  /// All amounts together.
  public var amounts: Amounts { losses.reduce(Amounts()) { $0 + $1.amounts } }
  /// How many items would go.
  public var items: Int { losses.reduce(0) { $0 + $1.items.count } }
}

extension Timeline {
  /// What stands for open days once they have followed all that is known.
  fileprivate var standingOnceFollowed: [StandingGrant] {
    // As a service sees them: what a plan waives is settled then, and the account holds it.
    var present = Timeline(
      account: account, openWindows: openWindows, looks: looks, inboxThrough: inboxThrough,
      excuses: excuses, rules: rules, terms: terms)
    present.tried = tried
    var days = OpenDays(present, cause: "live")
    days.evaluate()
    return account.applying(days.draft.bodies, rules).grants.open
  }
}
