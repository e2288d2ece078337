public import CivilTime
public import Evidence

/// All rules documents in force, each from its first day until the next one's.
public struct RuleBook: Sendable {
  /// The documents in force, by first day, without those that another one corrects.
  public let documents: [RulesDocument]

  /// Orders documents. The same document may be given twice, e.g. from a file and from the ledger.
  ///
  /// Unless `isComplete`, a document may correct one that is absent, and then replaces nothing.
  public init(_ loaded: [RulesDocument], isComplete: Bool = true) throws(RuleBookProblem) {
    var versions: [String: RulesDocument] = [:]
    var distinct: [RulesDocument] = []
    for document in loaded {
      if let known = versions.updateValue(document, forKey: document.version) {
        guard known.canonicalText == document.canonicalText else {
          throw .versionTwice(document.version)
        }
      } else {
        distinct.append(document)
      }
    }
    let replacements = try Self.replacements(distinct, isComplete: isComplete)
    let inForce = distinct.filter { replacements[$0.version] == nil }
      .sorted { $0.effectiveFrom < $1.effectiveFrom }
    for (first, second) in zip(inForce, inForce.dropFirst())
    where first.effectiveFrom == second.effectiveFrom {
      throw .sameDay(first.version, second.version, first.effectiveFrom)
    }
    if inForce.isEmpty { throw .noDocuments }
    documents = inForce
  }

  /// Maps each corrected version to the version that replaces it.
  private static func replacements(
    _ documents: [RulesDocument], isComplete: Bool
  ) throws(RuleBookProblem) -> [String: String] {
    var replacements: [String: String] = [:]
    for document in documents {
      guard let corrects = document.corrects else { continue }
      guard documents.contains(where: { $0.version == corrects }) else {
        if !isComplete { continue }
        throw .correctsUnknown(version: document.version, corrects: corrects)
      }
      if let other = replacements.updateValue(document.version, forKey: corrects) {
        throw .correctedTwice(corrects, by: other, and: document.version)
      }
    }
    for document in documents {
      var version = document.version
      for _ in documents {
        guard let next = replacements[version] else { break }
        if next == document.version { throw .correctsInCircle(next) }
        version = next
      }
    }
    return replacements
  }

  /// Returns the document in force on `day`: the last whose first day is not after it; nil before the first document.
  ///
  /// A day without rules is not judged. ``problem(judgedFrom:)`` reports that beforehand.
  public func rules(on day: Day) -> RulesDocument? {
    return documents.last { $0.effectiveFrom <= day }
  }

  /// Returns what is wrong if users are judged from `first` on. Check it when loading documents and importing users.
  public func problem(judgedFrom first: Day) -> RuleBookProblem? {
    guard let earliest = documents.first?.effectiveFrom, first < earliest else { return nil }
    return .noRulesYet(judgedFrom: first, rulesFrom: earliest)
  }

  /// The kinds of activity that any document in force needs; no other kind has to be looked for.
  public var neededKinds: KindSet {
    documents.reduce(into: []) { $0.formUnion($1.neededKinds) }
  }
}
