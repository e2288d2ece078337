public import CivilTime
public import Digests
public import Evidence
public import StrictJSON

/// One version of the rules, checked and ready to use. Immutable; compared and named by its version.
///
/// A missing section is taken from ``builtIn``, and so is a missing key of a section. `missions`, `catalogue` and
/// `levels.rewards` are complete lists: anything they do not name does not exist. The ledger names the built-in rules that complete a
/// document, so newer ones change nothing there.
public final class RulesDocument: Sendable {
  /// The document's version, as it names itself.
  public let version: String
  /// The first day it applies to.
  public let effectiveFrom: Day
  /// The version it replaces, even for closed days.
  public let corrects: String?
  /// The daily missions.
  public let missions: MissionRules
  /// How activities become evidence.
  public let activity: ActivityPolicy
  /// The login streak.
  public let streak: StreakRules
  /// The levels.
  public let levels: LevelRules
  /// The booster's exp multiplier, 1 or more.
  public let boosterMultiplier: Int64
  /// The items that can be drawn, and those that the shop sells.
  public let catalogue: Catalogue
  /// The reward for a draw with nothing left.
  public let fallback: RewardTerms
  /// The most that may be granted for one day.
  public let limits: DailyLimits
  /// The SHA-256 of the bytes as loaded.
  public let sha256: Digest
  /// The document as JSON without white space and comments, as the ledger holds it.
  public let canonicalText: String
  /// The version of the built-in rules that complete it; nil for built-in rules.
  public let defaults: String?
  private let effectiveFromPlace: (line: Int, column: Int)

  /// The size limit of a document.
  public static let maximumBytes = 48 * 1024
  /// The largest amount allowed in a document.
  public static let maximumAmount: Int64 = 1_000_000_000_000

  init(_ identity: RulesIdentity, _ sections: RulesSections, defaults: String?) {
    self.defaults = defaults
    version = identity.version
    effectiveFrom = identity.effectiveFrom
    effectiveFromPlace = identity.effectiveFromPlace
    corrects = identity.corrects
    sha256 = identity.sha256
    canonicalText = identity.canonicalText
    missions = sections.missions
    activity = sections.activity
    streak = sections.streak
    levels = sections.levels
    boosterMultiplier = sections.boosterMultiplier
    catalogue = sections.catalogue
    fallback = sections.fallback
    limits = sections.limits
  }

  /// Parses a document, JSON with comments. On failure, reports every mistake and not only the first.
  public static func parse(_ text: [UInt8]) -> Result<RulesDocument, RulesProblems> {
    RulesParser.parse(text, defaults: builtIn)
  }

  /// The kinds of activity that these rules need.
  public var neededKinds: KindSet { missions.kinds.union(streak.countsAs) }

  /// The most that one day can bring without level rewards: all missions and the best login, within the daily limits.
  public var bestDay: Amounts {
    let kinds = ActivityKind.allCases.filter { missions.kinds.contains($0) }
    var day = kinds.reduce(Amounts()) { $0 + missions[$1].amounts }
    let logins = streak.rewards.map { $0.item == nil ? $0 : fallback }
    day += Self.most(of: streak.rewards + logins)
    day.exp = min(limits.expPerUserDay, day.exp.multipliedSaturated(by: boosterMultiplier))
    day.points = min(limits.pointsPerUserDay, day.points)
    return day
  }

  /// The most that one day can bring with the rewards of all levels, within the daily limits: a gift of exp may lift a user through them at
  /// once.
  public var bestDayWithLevels: Amounts {
    let rewards = levels.rewards.compactMap(\.self).map { reward in
      Self.most(of: reward.item == nil ? [reward] : [reward, fallback])
    }
    var day = rewards.reduce(bestDay, +)
    day.exp = min(limits.expPerUserDay, day.exp)
    day.points = min(limits.pointsPerUserDay, day.points)
    return day
  }

  /// The most of each unit that one grant can bring, within the daily limits.
  public var largestGrant: Amounts {
    let kinds = ActivityKind.allCases.filter { missions.kinds.contains($0) }
    var most = Self.most(
      of: kinds.map { missions[$0] } + streak.rewards + levels.rewards.compactMap(\.self)
        + [fallback])
    most.exp = min(limits.expPerUserDay, most.exp)
    most.points = min(limits.pointsPerUserDay, most.points)
    return most
  }

  private static func most(of terms: [RewardTerms]) -> Amounts {
    Amounts { unit in terms.map { $0.amounts[unit] }.max() ?? 0 }
  }

  /// Returns the problem with bringing this document into use if `lastClosed` is the latest day closed in any zone. A
  /// document that corrects nothing must not change closed days. Check only documents that are not in use yet.
  public func problem(lastClosed: Day?) -> DocumentProblem? {
    guard corrects == nil, let lastClosed, effectiveFrom <= lastClosed else { return nil }
    return DocumentProblem(
      path: "effectiveFrom", line: effectiveFromPlace.line, column: effectiveFromPlace.column,
      what:
        "\(effectiveFrom) is already closed (as is every day to \(lastClosed)); set a later day, or "
        + "name the version to replace in \"corrects\" and run a backfill")
  }
}

/// All mistakes in one rules document, in the order found.
public struct RulesProblems: Error, Sendable, Equatable, CustomStringConvertible {
  /// The mistakes, each with the path of the offending value.
  public let problems: [DocumentProblem]

  /// One mistake per line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The identity of a rules document, with the proof of its text.
struct RulesIdentity {
  let version: String
  let effectiveFrom: Day
  let effectiveFromPlace: (line: Int, column: Int)
  let corrects: String?
  let sha256: Digest
  let canonicalText: String
}

/// The sections of a rules document, each from the text or from the built-in rules.
struct RulesSections {
  let missions: MissionRules
  let activity: ActivityPolicy
  let streak: StreakRules
  let levels: LevelRules
  let boosterMultiplier: Int64
  let catalogue: Catalogue
  let fallback: RewardTerms
  let limits: DailyLimits
}
