public import CivilTime
public import Evidence
public import RewardRules

/// The rules documents that came into use, and those in force as of each ledger line.
public struct RuleHistory: Sendable {
  fileprivate struct Entry: Sendable {
    let seq: UInt64
    let book: RuleBook
  }

  fileprivate struct Contents: Sendable {
    var entries: [Entry] = []
    var documents: [RulesDocument] = []
    var leastSeconds: [ActivityKind: Int64] = [:]
    var beliefs = [ActivityPolicy()]
    var problem: String?
  }

  /// Shared, because every fold and timeline holds the rules and they rarely change: a copy costs one reference.
  private final class Shared: Sendable {
    let contents: Contents
    init(_ contents: Contents) { self.contents = contents }
  }

  private var shared = Shared(Contents())

  /// Creates a history without documents.
  public init() {}

  /// The documents, in ledger order.
  public var documents: [RulesDocument] { shared.contents.documents }

  /// The minimum durations of missions, in seconds, by the strictest document.
  public var leastSeconds: [ActivityKind: Int64] { shared.contents.leastSeconds }

  /// How long the documents believe an open activity: one policy for each number of hours, ascending. The default
  /// before the first document.
  public var beliefs: [ActivityPolicy] { shared.contents.beliefs }

  /// Why the documents cannot be in force together, and so nothing may be judged; nil if they can.
  public var problem: String? { shared.contents.problem }

  /// The rules as of the last line; nil before the first document.
  public var current: RuleBook? { shared.contents.entries.last?.book }

  /// The line of the last document, or 0.
  public var lastChange: UInt64 { shared.contents.entries.last?.seq ?? 0 }

  /// Returns the rules as of the line `seq`; before the first document, the first rules.
  public func book(asOf seq: UInt64) -> RuleBook? {
    let entries = shared.contents.entries
    return (entries.last { $0.seq <= seq } ?? entries.first)?.book
  }

  /// Returns the level table in force on a day; before the first document, the app's own.
  public func caps(on day: Day) -> [Int64] {
    (current?.rules(on: day) ?? RulesDocument.builtIn).levels.caps
  }

  /// Returns the streak rules in force on a day; before the first document, the app's own.
  func streak(on day: Day) -> StreakRules {
    (current?.rules(on: day) ?? RulesDocument.builtIn).streak
  }

  /// Adds a document that came into use according to the ledger.
  ///
  /// A document that corrects one missing from the ledger stands alone, because older versions of this program
  /// recorded only the correction.
  mutating func add(_ text: LedgerState.RuleText) {
    var contents = shared.contents
    contents.add(text)
    shared = Shared(contents)
  }
}

extension RuleHistory.Contents {
  fileprivate mutating func add(_ text: LedgerState.RuleText) {
    do {
      let document = try RulesDocument.parse(recorded: text.text, completedBy: text.defaults)
      documents.append(document)
      let abandoned = documents.map(\.activity.abandonedAfterHours).max()
      beliefs = Set(documents.map(\.activity.openEndHours)).sorted().map {
        ActivityPolicy(
          openEndHours: $0,
          abandonedAfterHours: abandoned ?? ActivityPolicy.usualAbandonedAfterHours)
      }
      for kind in document.missions.lasting.kinds {
        leastSeconds[kind] = max(
          leastSeconds[kind] ?? 0, document.missions.leastSeconds(of: kind) ?? 0)
      }
      entries.append(
        RuleHistory.Entry(seq: text.seq, book: try RuleBook(documents, isComplete: false)))
      problem = nil
    } catch {
      // Documents that come into use together may be consistent only once the last of them is there.
      problem = "the rules document in ledger line \(text.seq): \(error)"
    }
  }
}
