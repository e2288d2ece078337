public import Described
public import Evidence
public import RewardRules

/// Who hands in inbox lines: the hand, or a program with a name, with what it may say and its brakes. The ledger holds the programs, as
/// the act `sources`.
public struct InboxSource: Sendable, Equatable {
  /// The most that credits may give, by the names of their parts. A part that is not named has no limit.
  public typealias Brake = DayCredits.Sums

  /// The name, as in `sources` and in the ledger's lines; nil for the hand.
  public let name: String?
  /// The kinds of activities that it may hand in.
  public var kinds: KindSet
  /// The names of the parts that its credits may give or take.
  public var credits: Set<String>
  /// The most that one credit may give.
  public var perLine: Brake
  /// How many times as much its credits of one day (UTC) may give to one user.
  public var perUserAndDay = Int64.max
  /// How many times as much all its credits of one day (UTC) may give.
  public var perDay = Int64.max

  /// Creates a source that may say everything, without brakes.
  public init(name: String?) {
    self.name = name
    kinds = .all
    credits = Set(Credit.partNames)
    perLine = [:]
  }

  /// What a person hands in. Its brakes are what one person may give, which the ledger says.
  public static let hand = InboxSource(name: nil)

  /// Returns the hand with the brakes of `limits`.
  public static func hand(_ limits: HandLimits) -> InboxSource {
    var hand = hand
    hand.perLine = limits.perAct
    hand.perLine["exp"] = limits.expPerCredit
    return hand
  }

  /// Returns whether it may say anything in its lines, whatever the amounts, that `other`, with nil nobody, may not.
  public func saysMore(than other: InboxSource?) -> Bool {
    guard let other else { return true }
    return !kinds.isSubset(of: other.kinds) || !credits.isSubset(of: other.credits)
  }

  /// Returns whether it may hand in anything that `other`, with nil nobody, may not.
  fileprivate func allowsMore(than other: InboxSource?) -> Bool {
    guard let other, !saysMore(than: other) else { return true }
    if credits.isEmpty { return false }
    return perUserAndDay > other.perUserAndDay || perDay > other.perDay
      || credits.contains { perLine[$0] ?? .max > other.perLine[$0] ?? .max }
  }

  /// Returns what both this and `other` may hand in.
  fileprivate func restricted(to other: InboxSource) -> InboxSource {
    var both = self
    both.kinds.formIntersection(other.kinds)
    both.credits.formIntersection(other.credits)
    both.perLine.merge(other.perLine) { min($0, $1) }
    both.perUserAndDay = min(perUserAndDay, other.perUserAndDay)
    both.perDay = min(perDay, other.perDay)
    return both
  }

  /// The name in reports.
  public static func title(of name: String?) -> String { name ?? "hand" }

  /// Returns why it may not hand in an activity of `kind`; nil if it may.
  public func objection(to kind: ActivityKind) -> String? {
    kinds.contains(kind) ? nil : objection(toSaying: kind.name, "kinds")
  }

  /// Returns why it may not hand in `credit`, whatever the amounts; nil if it may.
  public func objection(to credit: Credit) -> String? {
    credit.parts.first { !credits.contains($0) }.map {
      objection(toSaying: "credits with \($0)", "credits")
    }
  }

  private func objection(toSaying what: String, _ setting: String) -> String {
    let name = Self.title(of: name)
    return "the source \(name) may not hand in \(what); see sources.\(name).\(setting)"
  }

  /// Returns what passes a brake with a credit, in words; nil if nothing does.
  ///
  /// `today` holds what the source's credits have given on the day on which it is recorded: to the user, and to all.
  public func excess(of credit: Credit, today: (user: Brake, all: Brake)) -> String? {
    let given = credit.given
    if given.isEmpty { return nil }
    let sums: [(sums: Brake, times: Int64, span: String)] = [
      (given, 1, "a line"), (today.user.adding(given), perUserAndDay, "a user and day"),
      (today.all.adding(given), perDay, "a day"),
    ]
    let beyond = Credit.partNames.compactMap { part -> String? in
      guard given[part] != nil, let limit = perLine[part] else { return nil }
      for (sums, times, span) in sums {
        guard let sum = sums[part], sum > limit.multipliedSaturated(by: times) else { continue }
        let factor = times == 1 ? "" : "\(times) × "
        return
          "\(sum) \(part) (the limit of \(span) is \(limit.multipliedSaturated(by: times)), \(factor)\(setting(part)))"
      }
      return nil
    }
    return beyond.isEmpty ? nil : beyond.joined(separator: ", ")
  }

  /// Returns the setting that holds the limit of a part. Those of the hand are the limits of a person.
  private func setting(_ part: String) -> String {
    if let name { return "sources.\(name).perLine.\(part)" }
    return ["exp", "boosterDays"].contains(part)
      ? "approval.\(part)PerCredit" : "approval.\(part)ByHand"
  }
}

extension InboxSource: CustomStringConvertible {
  /// What it may hand in, and its brakes, as in `shop: purchase; credits of exp up to 100; 2 times a line to a user and day, 3 times in a day`.
  public var description: String {
    let parts = Credit.partNames.filter(credits.contains).map { part in
      part + (perLine[part].map { " up to \($0)" } ?? "")
    }
    let said =
      (kinds.isEmpty ? [] : [kinds.kinds.map(\.name).joined(separator: ", ")])
      + (parts.isEmpty
        ? []
        : [
          "credits of \(parts.joined(separator: ", "))",
          "\(perUserAndDay) times a line to a user and day, \(perDay) times in a day",
        ])
    return "\(Self.title(of: name)): \(said.joined(separator: "; "))"
  }
}

extension InboxSource: DescribedObject {
  /// Reads or writes the fields, in their order in a line and in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    name = try coder.optional("name", value?.pointee.name)
    let words = try coder.field("kinds", value?.pointee.kinds.kinds.map(\.name))
    kinds = KindSet(words.compactMap { ActivityKind(name: $0) })
    credits = try coder.field("credits", value?.pointee.credits)
    perLine = try coder.field("perLine", value?.pointee.perLine)
    perUserAndDay = try coder.field("perUserAndDay", value?.pointee.perUserAndDay)
    perDay = try coder.field("perDay", value?.pointee.perDay)
  }
}

extension [InboxSource] {
  /// Returns the source with a name; nil if there is none.
  public func named(_ name: String?) -> InboxSource? { first { $0.name == name } }

  /// Returns whether any of them may hand in what none of `others` with its name may.
  public func allowMore(than others: [InboxSource]) -> Bool {
    contains { $0.allowsMore(than: others.named($0.name)) }
  }

  /// Returns what both these and `others` may hand in.
  public func restricted(to others: [InboxSource]) -> [InboxSource] {
    compactMap { source in others.named(source.name).map(source.restricted) }
  }

  /// All of them in words.
  public var text: String { isEmpty ? "none" : map(\.description).joined(separator: "; ") }
}
