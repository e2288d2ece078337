import CivilTime
import Engine
import Ledger
public import RewardRules

/// Puts rules documents into use.
public struct RulesUse: Sendable {
  private let writer: LedgerWriter

  /// Rules by this writer.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Writes down the documents that the ledger does not hold yet, corrected ones before their corrections; what it holds stays
  /// in force.
  ///
  /// Returns how many were written. Throws ``RulesProblem`` when a document begins in a closed past without correcting another, and
  /// ``RuleBookProblem`` when all together cannot be in force.
  public func put(_ documents: [RulesDocument]) async throws -> Int {
    try await writer.change(.all) { state in
      let known = Set(state.ledger.ruleTexts.map(\.text))
      let fresh = documents.filter { !known.contains($0.canonicalText) }
      _ = try RuleBook(state.ledger.rules.documents + fresh)
      let lastClosed = state.ledger.closes.values.map(\.last.day).max()
      var draft = Draft()
      for document in fresh.inOrderOfCorrection {
        // What is corrected at once never came into force by itself.
        let isReplaced = fresh.contains { $0.corrects == document.version }
        if !isReplaced, let problem = document.problem(lastClosed: lastClosed) { throw problem }
        draft.bodies.append(
          .rules(
            RulesRecord(
              version: document.version, effectiveFrom: document.effectiveFrom,
              corrects: document.corrects, sha256: document.sha256,
              drawKey: state.terms.draws.fingerprint, document: document.canonicalText)))
      }
      return LedgerWriter.Proposal([draft]) { _, records in records.count }
    }
  }
}

extension [RulesDocument] {
  /// Each document after the one that it corrects; else as they come.
  fileprivate var inOrderOfCorrection: [RulesDocument] {
    var ordered: [RulesDocument] = []
    var waiting = self
    while !waiting.isEmpty {
      let ready = waiting.firstIndex { document in
        !waiting.contains { $0.version == document.corrects }
      }
      // A circle is refused before; so there is always one.
      ordered.append(waiting.remove(at: ready ?? 0))
    }
    return ordered
  }
}
