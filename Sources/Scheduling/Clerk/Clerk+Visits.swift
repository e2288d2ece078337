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
    for (position, visit) in visits.enumerated() {
      do {
        guard var judge = try desk.judge(of: visit.user, now: now, cause: "live") else { continue }
        for routeLook in visit.looks { judge.observe(routeLook.look, at: routeLook.route) }
        judge.judge()
        receipts[position].lateEvidence = judge.lateEvidence.count
        histories.append((visit.user, judge.histories))
        receipts[position].problem = desk.book.accounts[visit.user].stopped
        if !judge.draft.isEmpty {
          drafts.append(judge.draft)
          owners += Array(repeating: position, count: judge.draft.count)
        }
      } catch {
        receipts[position].problem = "\(error)"
      }
    }
    let records = try await commit(drafts)
    for (record, owner) in zip(records, owners) { receipts[owner].records.append(record) }
    await keep(histories, visits)
    return receipts
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
