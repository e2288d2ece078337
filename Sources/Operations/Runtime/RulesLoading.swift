import CivilTime
package import Configuration
import Foundations
import Glibc
import Ledger
import LedgerStore
package import RewardRules
import Scheduling

/// What loading rules into a ledger refuses: when it is opened, and when its documents are recorded.
package enum RulesLoading {
  /// Throws unless all documents can be in force together and cover the first open day of every user. A ledger is not opened with others.
  static func check(_ rules: [RulesDocument], against state: LedgerState) throws {
    let book = try RuleBook(
      state.rules.documents + RulesUse.wanted(of: rules, in: state),
      isComplete: state.rules.documents.isEmpty)
    let judged = state.accounts.lazy.filter(\.isPresent)
    guard let first = judged.map({ $0.boundaryDay.adding(days: 1) }).min() else { return }
    if let problem = book.problem(judgedFrom: first) { throw problem }
  }

  /// Throws what a service of this configuration would refuse if its rules also had `document`, read from `file`. Changes nothing.
  ///
  /// Returns false where there is nothing to check against: neither a configuration file nor a ledger.
  package static func check(
    _ document: RulesDocument, from file: String, with configuration: Configuration
  ) async throws -> Bool {
    let ledger = try await LedgerReading.openIfThere(configuration.directory)
    if ledger == nil, configuration.file == nil { return false }
    let state = try await StateReading.read(ledger)
    try await BlockingThread(named: "rewards.rules").run {
      var rules: [RulesDocument] = []
      for other in configuration.rules where !isSame(other, file) {
        rules.append(try RulesFiles.read(other, in: configuration.files))
      }
      rules.append(document)
      try check(rules, against: state)
      _ = try RulesUse.fresh(of: rules, in: state)
    }
    return true
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0
      && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
