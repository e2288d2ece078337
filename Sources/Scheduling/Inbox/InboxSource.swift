package import Evidence
package import Ledger
package import RewardRules

/// Who hands in inbox lines: the hand, or a program that the configuration names, with what it may say and its brakes.
package struct InboxSource: Sendable, Equatable {
  /// The most that credits may give, by the names of their parts. A part that is not named has no limit.
  package typealias Brake = [String: Int64]

  /// The name, as in `sources` and in the ledger's lines; nil for the hand.
  package let name: String?
  /// The kinds of activities that it may hand in.
  package var kinds: KindSet
  /// The names of the parts that its credits may give or take.
  package var credits: Set<String>
  /// The most that one credit may give.
  package var perLine: Brake
  /// How many times as much its credits of one day (UTC) may give to one user.
  package var perUserAndDay = Int64.max
  /// How many times as much all its credits of one day (UTC) may give.
  package var perDay = Int64.max

  /// Creates a source that may say everything, without brakes.
  package init(name: String?) {
    self.name = name
    kinds = .all
    credits = Set(Credit.partNames)
    perLine = [:]
  }

  /// What a person hands in. Its brakes are what one person may give, which the ledger says.
  package static let hand = InboxSource(name: nil)

  /// Returns the same source; the hand with the brakes of `limits`.
  package func braked(by limits: HandLimits) -> InboxSource {
    guard name == nil else { return self }
    var hand = self
    hand.perLine = limits.perAct
    hand.perLine["exp"] = limits.expPerCredit
    return hand
  }

  /// The name in reports.
  package static func title(of name: String?) -> String { name ?? "hand" }

  /// Returns why it may not hand in an activity of `kind`; nil if it may.
  func objection(to kind: ActivityKind) -> String? {
    kinds.contains(kind) ? nil : objection(toSaying: kind.name, "kinds")
  }

  /// Returns why it may not hand in `credit`, whatever the amounts; nil if it may.
  func objection(to credit: Credit) -> String? {
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
  package func excess(of credit: Credit, today: (user: Brake, all: Brake)) -> String? {
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

  /// Returns whether a day's sums pass its brake.
  package func isPassed(by sums: Brake) -> Bool {
    sums.contains { part, sum in
      perLine[part].map { sum > $0.multipliedSaturated(by: perDay) } ?? false
    }
  }

  /// Returns the setting that holds the limit of a part. Those of the hand are the limits of a person.
  private func setting(_ part: String) -> String {
    if let name { return "sources.\(name).perLine.\(part)" }
    return ["exp", "boosterDays"].contains(part)
      ? "approval.\(part)PerCredit" : "approval.\(part)ByHand"
  }
}
