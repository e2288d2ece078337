public import CivilTime
public import Digests
public import Evidence
public import StrictJSON

/// One version of the rules, checked and ready to judge by. Immutable; compared and named by its version.
///
/// Sections that a document leaves out are those of ``builtIn``; a section that is written but lacks a key takes that key
/// from there too. `missions`, `catalogue` and `levels.rewards` are whole lists: what they do not name does not exist.
public final class RulesDocument: Sendable {
  /// The document's own name for itself.
  public let version: String
  /// The first day that it judges.
  public let effectiveFrom: Day
  /// The version that it replaces, closed days included.
  public let corrects: String?
  /// The daily missions.
  public let missions: MissionRules
  /// How activities become evidence.
  public let activity: ActivityPolicy
  /// The login streak.
  public let streak: StreakRules
  /// The levels.
  public let levels: LevelRules
  /// What a running booster multiplies exp with, 1 or more.
  public let boosterMultiplier: Int64
  /// The items that can be drawn.
  public let catalogue: Catalogue
  /// What a draw gives when nothing is left.
  public let fallback: RewardTerms
  /// What may be granted for one day.
  public let limits: DailyLimits
  /// SHA-256 of the bytes as they were loaded.
  public let sha256: Digest
  /// The document as JSON without white space and comments, as the ledger keeps it.
  public let canonicalText: String
  private let effectiveFromPlace: (line: Int, column: Int)

  /// The largest document that is accepted.
  public static let maximumBytes = 48 * 1024
  /// The largest amount that a document may name.
  public static let maximumAmount: Int64 = 1_000_000_000_000

  init(_ identity: RulesIdentity, _ sections: RulesSections) {
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

  /// Reads a document; JSON with comments. On failure names every mistake, not only the first.
  public static func parse(_ text: [UInt8]) -> Result<RulesDocument, RulesProblems> {
    RulesParser.parse(text, defaults: builtIn)
  }

  /// The kinds of activity that these rules ask for.
  public var neededKinds: KindSet { missions.kinds.union(streak.countsAs) }

  /// What is wrong with bringing this document into use when `lastClosed` is the latest day closed in any zone: a
  /// document that corrects nothing must not change what is closed. Ask only of documents that are not in use yet.
  public func problem(lastClosed: Day?) -> DocumentProblem? {
    guard corrects == nil, let lastClosed, effectiveFrom <= lastClosed else { return nil }
    return DocumentProblem(
      path: "effectiveFrom", line: effectiveFromPlace.line, column: effectiveFromPlace.column,
      what: "\(effectiveFrom) is closed already (up to \(lastClosed)); name a later day, or the "
        + "version to replace in \"corrects\" and run a backfill")
  }
}

/// All mistakes of one rules document, in the order in which they were met.
public struct RulesProblems: Error, Sendable, Equatable, CustomStringConvertible {
  /// The mistakes, each with the path of the offending value.
  public let problems: [DocumentProblem]

  /// One mistake a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// What names a rules document and proves its text.
struct RulesIdentity {
  let version: String
  let effectiveFrom: Day
  let effectiveFromPlace: (line: Int, column: Int)
  let corrects: String?
  let sha256: Digest
  let canonicalText: String
}

/// What a rules document says: its sections, each read or taken from the built-in rules.
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
