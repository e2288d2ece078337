public import CivilTime
public import Failures

/// The reason why rules documents cannot be in force together. The description names the remedy.
public enum RuleBookProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// There are no documents.
  case noDocuments
  /// Two documents with the same version differ.
  case versionTwice(String)
  /// Two documents begin on the same day.
  case sameDay(String, String, Day)
  /// A document corrects a version that does not exist.
  case correctsUnknown(version: String, corrects: String)
  /// Two documents correct the same version.
  case correctedTwice(String, by: String, and: String)
  /// Documents correct each other in a circle.
  case correctsInCircle(String)
  /// Users are judged from a day before any document is in force.
  case noRulesYet(judgedFrom: Day, rulesFrom: Day)

  /// The cause and the remedy on one line.
  public var description: String {
    switch self {
    case .noDocuments:
      "no rules document is loaded; name one, or use the built-in rules"
    case .versionTwice(let version):
      "two different rules documents have the version \"\(version)\"; never edit a document in use: "
        + "give the new one its own version, and \"corrects\": \"\(version)\" if it replaces the old one"
    case .sameDay(let first, let second, let day):
      "the rules \"\(first)\" and \"\(second)\" both begin on \(day); change one effectiveFrom, or "
        + "name one document in the other's \"corrects\""
    case .correctsUnknown(let version, let corrects):
      "the rules \"\(version)\" correct \"\(corrects)\", which is not loaded; fix the name, or "
        + "load that document too"
    case .correctedTwice(let version, let first, let second):
      "the rules \"\(first)\" and \"\(second)\" both correct \"\(version)\"; let the later one "
        + "correct the earlier one"
    case .correctsInCircle(let version):
      "the rules \"\(version)\" correct themselves, through other documents; a correction must name "
        + "an older version"
    case .noRulesYet(let judgedFrom, let rulesFrom):
      "users are judged from \(judgedFrom), but the first rules begin on \(rulesFrom); load a "
        + "document with an earlier effectiveFrom (a correction repeats that of the document it corrects)"
    }
  }
}

extension RuleBookProblem: FailureConvertible {
  /// The problem as a bad-data failure.
  public var failure: Failure { Failure(.badData, description) }
}
