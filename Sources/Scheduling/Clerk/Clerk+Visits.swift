import CivilTime
import Evidence
import Ledger

extension Clerk {
  /// Judges visits of different users and commits all their records under one seal.
  func judge(_ visits: [Visit]) async throws -> [Receipt] {
    let now = clock.now()
    var receipts = Array(repeating: Receipt(), count: visits.count)
    var drafts: [Draft] = []
    var owners: [Int] = []
    var histories: [(user: Int, histories: LookHistories)] = []
    var doubted: [Desk.Doubted] = []
    for (position, visit) in visits.enumerated() {
      do {
        guard var judge = try desk.judge(of: visit.user, now: now, cause: "live") else { continue }
        for routeLook in visit.looks { judge.observe(routeLook.look, at: routeLook.route) }
        judge.judge()
        var draft = judge.draft
        report(judge.doubts, of: visit.user, in: &draft, &doubted)
        receipts[position].lateEvidence = judge.lateEvidence.count
        histories.append((visit.user, judge.histories))
        if !draft.isEmpty {
          drafts.append(draft)
          owners += Array(repeating: position, count: draft.count)
        }
      } catch {
        receipts[position].problem = "\(error)"
      }
    }
    let records = try await commit(drafts)
    for (record, owner) in zip(records, owners) { receipts[owner].records.append(record) }
    reportedDoubts(doubted)
    await keep(histories, visits)
    return receipts
  }

  /// Adds a refusal for each doubt that was not reported before.
  func report(
    _ doubts: [(source: Source, doubt: Observed.Doubt)], of user: Int, in draft: inout Draft,
    _ doubted: inout [Desk.Doubted]
  ) {
    for (source, doubt) in doubts {
      let entry = Desk.Doubted(user: user, source: source, doubt: doubt)
      if desk.reportedDoubts.contains(entry) || doubted.contains(entry) { continue }
      doubted.append(entry)
      let (what, detail) = doubt.refusal
      draft.bodies.append(
        .refused(
          RefusedRecord(
            user: desk.book.accounts[user].id, what: what, detail: "route \(source.name): \(detail)"
          )))
    }
  }

  func reportedDoubts(_ doubted: [Desk.Doubted]) {
    // Enough to keep a lying source from filling the ledger; a restart may repeat a report.
    if desk.reportedDoubts.count > 100_000 { desk.reportedDoubts = [] }
    desk.reportedDoubts.formUnion(doubted)
  }

  private func keep(
    _ histories: [(user: Int, histories: LookHistories)], _ visits: [Visit]
  ) async {
    var entries: [LookEntry] = []
    entries.reserveCapacity(histories.count * 3)
    var fresh = histories[...]
    for visit in visits {
      guard let next = fresh.first, next.user == visit.user else { continue }
      fresh.removeFirst()
      desk.histories[visit.user] = next.histories
      let id = desk.book.accounts[visit.user].id
      for routeLook in visit.looks {
        entries.append(
          LookEntry(
            user: id, source: routeLook.route, history: next.histories[routeLook.route]))
      }
    }
    await looks.keep(entries)
  }
}

extension Observed.Doubt {
  /// How a doubt is recorded.
  var refusal: (what: Refusal, detail: String) {
    switch self {
    case .badEvidence(let detail): (.badEvidence, detail)
    case .lyingAnswer(let detail): (.lyingAnswer, detail)
    case .endlessActivity(let detail): (.badEvidence, detail)
    }
  }
}
