import CivilTime
import Foundation
import LedgerStore
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// After a backup was put back an inbox proves nothing until somebody says that it is complete.
@Suite(.offThePool) struct RestoredInboxTests {
  private static let start = Instant(seconds: 1_793_880_000)

  private struct Reading: Equatable {
    var isGap: Bool
    var provedThrough: Instant
  }

  private let place: TestPlace

  init() throws {
    place = try TestPlace()
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n")
  }

  /// Reads the inbox once; `inbox` are its lines.
  private func read(
    at hours: Int64, _ inbox: String = "", isCompleted: Bool = false
  ) async throws -> Reading {
    let runtime = try await place.open(FixedClock(at: Self.start.adding(seconds: hours * 3_600)))
    if !inbox.isEmpty { try place.write("data/inbox/incoming/\(hours).jsonl", inbox + "\n") }
    if isCompleted { try await runtime.inbox.markComplete() }
    let outcome = try await InboxSweep(runtime: runtime).readAll()
    let through = await runtime.writer.read { $0.inboxThrough }
    await runtime.close()
    return Reading(isGap: outcome.gap != nil, provedThrough: through)
  }

  private func restore(isInboxComplete: Bool) async throws {
    try await place.loseAndRestore(now: Self.start, isInboxComplete: isInboxComplete)
  }

  @Test func neitherSilenceNorAWatermarkProvesUntilItIsComplete() async throws {
    let begin = Self.start
    let hour: Int64 = 3_600
    #expect(try await read(at: 0) == Reading(isGap: false, provedThrough: begin))
    try await restore(isInboxComplete: false)
    #expect(try await read(at: 1) == Reading(isGap: true, provedThrough: begin))
    let watermark = "{\"completeThrough\":\"\(begin.adding(seconds: 2 * hour))\"}"
    #expect(try await read(at: 2, watermark) == Reading(isGap: true, provedThrough: begin))
    let later = begin.adding(seconds: 3 * hour)
    #expect(
      try await read(at: 3, isCompleted: true) == Reading(isGap: false, provedThrough: later))
    #expect(
      try await read(at: 4)
        == Reading(isGap: false, provedThrough: begin.adding(seconds: 4 * hour)))
  }

  /// What is handed in as all that was lost may say itself up to where it is complete.
  @Test func aWatermarkAmongWhatCompletesItCounts() async throws {
    _ = try await read(at: 0)
    try await restore(isInboxComplete: false)
    let runtime = try await place.open(FixedClock(at: Self.start.adding(seconds: 2 * 3_600)))
    let marked = Self.start.adding(seconds: 3_600)
    let report = try await Ingestion(runtime).run(
      Array("{\"completeThrough\":\"\(marked)\"}\n".utf8), name: "lost.jsonl", completes: true)
    #expect(report.problems.isEmpty)
    #expect(await runtime.writer.read { $0.inboxThrough } == marked)
    await runtime.close()
  }

  @Test func whereNothingWasHandedInItProvesAtOnce() async throws {
    _ = try await read(at: 0)
    try await restore(isInboxComplete: true)
    let later = Self.start.adding(seconds: 3_600)
    #expect(try await read(at: 1) == Reading(isGap: false, provedThrough: later))
  }
}
