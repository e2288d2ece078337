import CivilTime
import Dispatch
import Engine
import Evidence
import Foundations
import Ledger
import Scheduling
import TestSupport
import Testing

/// Changes that wait together share an append, unless they concern the same user.
@Suite(.offThePool) struct GroupCommitTests {
  private static let count = 50

  private func evidence(_ user: Int, at seconds: Int64) -> Draft {
    let at = Instant(seconds: 1_795_176_000 + seconds)
    return Draft([
      .evidence(
        EvidenceRecord(
          user: "u\(user)", activity: Activity.told(.comment, from: at, to: at), source: .inbox,
          observedAt: at))
    ])
  }

  /// One change holds the writer up while fifty others arrive, the first user's second among them.
  @Test func whatWaitsTogetherIsOneAppend() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T12:00:00Z")
    let roster = (0..<Self.count).map { #"{"user":"u\#($0)","timezone":"UTC"}"# }
    try await fixture.hire(roster.joined(separator: "\n"))
    let before = fixture.ledger.appends
    let writer = fixture.writer
    let isReleased = DispatchSemaphore(value: 0)
    let arrived = Lock(0)

    async let held: Void = writer.change(.all) { _ in
      isReleased.wait()
      return LedgerWriter.Proposal([]) { _, _ in }
    }
    let seen = try await withThrowingTaskGroup(of: [Int].self) { group in
      for user in 0..<Self.count {
        group.addTask {
          arrived.withLock { $0 += 1 }
          return try await writer.change(.users([user])) { state in
            let known = state.ledger.accounts[user].evidence.count
            return LedgerWriter.Proposal([evidence(user, at: 1)]) { _, records in
              [known, records.count]
            }
          }
        }
      }
      #expect(await eventually { arrived.withLock { $0 } == Self.count })
      isReleased.signal()
      var seen: [[Int]] = []
      for try await one in group { seen.append(one) }
      return seen
    }
    try await held
    #expect(seen.count == Self.count && seen.allSatisfy { $0 == [0, 1] })
    // A task or two may still have been on the way to the queue.
    #expect(fixture.ledger.appends - before <= 5)
    #expect(await writer.read { $0.ledger.accounts.allSatisfy { $0.evidence.count == 1 } })
  }

  @Test func aSecondChangeOfAUserSeesTheFirst() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T12:00:00Z")
    try await fixture.hire(#"{"user":"u0","timezone":"UTC"}"#)
    let writer = fixture.writer
    let isReleased = DispatchSemaphore(value: 0)
    async let held: Void = writer.change(.all) { _ in
      isReleased.wait()
      return LedgerWriter.Proposal([]) { _, _ in }
    }
    let seen = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<10 {
        group.addTask {
          try await writer.change(.users([0])) { state in
            let known = state.ledger.accounts[0].evidence.count
            return LedgerWriter.Proposal([evidence(0, at: Int64(number))]) { _, _ in known }
          }
        }
      }
      isReleased.signal()
      var seen: [Int] = []
      for try await one in group { seen.append(one) }
      return seen
    }
    try await held
    #expect(seen.sorted() == Array(0..<10))
  }
}
