import CivilTime
import Engine
package import Ledger
package import RewardRules

/// Puts rules documents into use.
package struct RulesUse: Sendable {
  private let writer: LedgerWriter

  /// Creates the act for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// What became of documents.
  package struct Result: Sendable {
    /// How many were recorded.
    package var added = 0
    /// Why documents wait for two people, by the ids of the requests that nobody declined.
    package var waiting: [String: String] = [:]
  }

  /// Records the documents that the ledger does not hold yet, corrected ones before their corrections. Those it holds
  /// stay in force.
  ///
  /// Throws ``RulesProblem`` if a document begins in a closed past without correcting
  /// another, and ``RuleBookProblem`` if all of them together cannot be in force. Unless these are the ledger's first
  /// documents, they are an act of `actor`, recorded before them. One by which a day can bring more than one person may give is
  /// requested, by nobody, and waits for two people; those it does not hinder come into use.
  package func record(_ documents: [RulesDocument], by actor: String) async throws -> Result {
    try await writer.change(.all) { state in
      let ledger = state.ledger
      var result = Result()
      var requests: [RecordBody] = []
      // What waits is not judged yet: its days may be closed by the time it is agreed on, and nobody must wait for it.
      var held: Set<String> = []
      for document in Self.unknown(of: documents, in: ledger).inOrderOfCorrection {
        let act = BigAct.rules(document)
        let isHindered = document.corrects.map(held.contains) ?? false
        guard let excess = Self.excess(of: document, in: ledger) else {
          if isHindered { held.insert(document.version) }
          continue
        }
        if ledger.isAgreed(act), !isHindered, Self.isInTime(document, ledger) { continue }
        held.insert(document.version)
        let (request, waits) = act.proposal(in: ledger)
        if waits { result.waiting[act.id] = "\(document.version): \(excess)" }
        if let request { requests.append(request) }
      }
      let fresh = try Self.fresh(
        of: documents.filter { !held.contains($0.version) }, in: ledger)
      result.added = fresh.count
      let drafts = [Draft(requests)] + Self.drafts(of: fresh, by: actor, state)
      return LedgerWriter.Proposal(drafts) { [result] _, _ in result }
    }
  }

  /// Returns the records that put documents into use: those that two people agreed on as acts of their own, others in one.
  private static func drafts(
    of documents: [RulesDocument], by actor: String, _ state: WorkingState
  ) -> [Draft] {
    var acts: [(request: String?, documents: [RulesDocument])] = []
    for document in documents.inOrderOfCorrection {
      let act = BigAct.rules(document)
      if state.ledger.isAgreed(act) {
        acts.append((act.id, [document]))
      } else if let last = acts.indices.last, acts[last].request == nil {
        acts[last].documents.append(document)
      } else {
        acts.append((nil, [document]))
      }
    }
    return acts.map { request, documents in
      let records = documents.map { document in
        RecordBody.rules(
          RulesRecord(
            version: document.version, effectiveFrom: document.effectiveFrom,
            corrects: document.corrects, sha256: document.sha256,
            drawKey: state.terms.draws.fingerprint, defaults: document.defaults,
            document: document.canonicalText))
      }
      if state.ledger.ruleTexts.isEmpty { return Draft(records) }
      var act = act(putting: documents, by: actor)
      act.request = request
      return Draft([.operator(act)] + records.map(\.ofActBefore))
    }
  }

  /// Returns why a document takes two people, in words: for the most that a day, or one grant, can bring by it; nil if it does not. A
  /// ledger without users has nobody who could profit.
  package static func excess(of document: RulesDocument, in ledger: LedgerState) -> String? {
    if ledger.accounts.isEmpty { return nil }
    let limits = ledger.handLimits
    return
      (limits.excess(of: document.bestDayWithLevels) ?? limits.excess(of: document.largestGrant))
      .map { "it brings up to \($0)" }
  }

  private static func isInTime(_ document: RulesDocument, _ ledger: LedgerState) -> Bool {
    document.problem(lastClosed: ledger.closes.values.map(\.last.day).max()) == nil
  }

  /// Returns those of the configured documents that `ledger` does not hold, and would use.
  private static func unknown(
    of documents: [RulesDocument], in ledger: LedgerState
  ) -> [RulesDocument] {
    let known = Set(ledger.ruleTexts.map(\.text))
    return wanted(of: documents, in: ledger).filter { !known.contains($0.canonicalText) }
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
    let fresh = unknown(of: documents, in: ledger)
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
  private static func act(putting documents: [RulesDocument], by actor: String) -> OperatorRecord {
    OperatorRecord(
      act: .rules, subject: documents.map(\.version).joined(separator: " "),
      what: documents.map(\.summary).joined(separator: "; "),
      reason: "named in the configuration", actor: actor)
  }
}

extension RulesDocument {
  /// The version and what it applies to, in words.
  var summary: String {
    "\(version) from \(effectiveFrom)" + (corrects.map { ", corrects \($0)" } ?? "")
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
