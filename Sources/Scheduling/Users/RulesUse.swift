import CivilTime
import Engine
package import Ledger
package import RewardRules

/// Puts rules documents into use.
package struct RulesUse: Sendable {
  private let writer: LedgerWriter

  /// Creates the act for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Records the documents that the ledger does not hold yet, corrected ones before their corrections. Those it holds
  /// stay in force.
  ///
  /// Returns how many were recorded. Throws ``RulesProblem`` if a document begins in a closed past without correcting
  /// another, and ``RuleBookProblem`` if all of them together cannot be in force. Unless these are the ledger's first
  /// documents, they are an act of `actor`, recorded before them.
  package func record(_ documents: [RulesDocument], by actor: String) async throws -> Int {
    try await writer.change(.all) { state in
      let fresh = try Self.fresh(of: documents, in: state.ledger)
      var draft = Draft()
      for document in fresh.inOrderOfCorrection {
        draft.bodies.append(
          .rules(
            RulesRecord(
              version: document.version, effectiveFrom: document.effectiveFrom,
              corrects: document.corrects, sha256: document.sha256,
              drawKey: state.terms.draws.fingerprint, defaults: document.defaults,
              document: document.canonicalText)))
      }
      let count = draft.bodies.count
      if count > 0, !state.ledger.ruleTexts.isEmpty {
        draft.bodies =
          [.operator(Self.act(putting: draft.bodies, by: actor))] + draft.bodies.map(\.ofActBefore)
      }
      return LedgerWriter.Proposal([draft]) { _, _ in count }
    }
  }

  /// Returns those of the configured documents that `ledger` uses: all, but the app's own rules only where it holds no others. A ledger
  /// that began with the app's own rules of an earlier version of this program goes on with them.
  package static func wanted(
    of documents: [RulesDocument], in ledger: LedgerState
  ) -> [RulesDocument] {
    ledger.ruleTexts.isEmpty ? documents : documents.filter { !$0.isBuiltIn }
  }

  /// Returns the documents that the ledger does not hold yet. Throws like ``record(_:by:)`` if they may not come into use.
  package static func fresh(
    of documents: [RulesDocument], in ledger: LedgerState
  ) throws -> [RulesDocument] {
    let known = Set(ledger.ruleTexts.map(\.text))
    let fresh = wanted(of: documents, in: ledger).filter { !known.contains($0.canonicalText) }
    let book = try RuleBook(ledger.rules.documents + fresh)
    let lastClosed = ledger.closes.values.map(\.last.day).max()
    // A document corrected at once never came into force by itself.
    for document in fresh where !fresh.contains(where: { $0.corrects == document.version }) {
      if let problem = document.problem(lastClosed: lastClosed) { throw problem }
    }
    // A correction that begins later than the document it replaces would leave judged days without rules.
    if !fresh.isEmpty, let first = ledger.accounts.map(\.firstDay).min(),
      ledger.rules.current?.problem(judgedFrom: first) == nil,
      let problem = book.problem(judgedFrom: first)
    {
      throw problem
    }
    return fresh
  }

  /// Returns the record of who puts documents into use.
  private static func act(putting bodies: [RecordBody], by actor: String) -> OperatorRecord {
    var versions: [String] = []
    var what: [String] = []
    for case .rules(let rules) in bodies {
      versions.append(rules.version)
      let corrected = rules.corrects.map { ", corrects \($0)" } ?? ""
      what.append("\(rules.version) from \(rules.effectiveFrom)\(corrected)")
    }
    return OperatorRecord(
      act: .rules, subject: versions.joined(separator: " "), what: what.joined(separator: "; "),
      reason: "named in the configuration", actor: actor)
  }
}

extension [RulesDocument] {
  /// The documents, each after the one it corrects, otherwise in their given order.
  fileprivate var inOrderOfCorrection: [RulesDocument] {
    var ordered: [RulesDocument] = []
    var waiting = self
    while !waiting.isEmpty {
      let ready = waiting.firstIndex { document in
        !waiting.contains { $0.version == document.corrects }
      }
      // A cycle is refused earlier, so there is always one.
      ordered.append(waiting.remove(at: ready ?? 0))
    }
    return ordered
  }
}
