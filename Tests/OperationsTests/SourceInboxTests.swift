import CivilTime
import Foundation
import LedgerStore
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// The inboxes of configured sources.
@Suite(.offThePool) struct SourceInboxTests {
  private static let start = Instant(seconds: 1_793_880_000)
  private let place: TestPlace

  init() throws {
    var settings = TestPlace.Settings()
    settings.requiresWatermark = true
    settings.sources = """
      {"backend": {"kinds": ["login"]}, "shop": {"kinds": ["purchase"], "credits": ["exp"]},
       "cards": {"credits": ["exp"]}}
      """
    place = try TestPlace(settings)
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n")
  }

  private func open() async throws -> Runtime {
    try await place.open(FixedClock(at: Self.start.adding(seconds: 6 * 3_600)))
  }

  /// Reads the inboxes in a process of its own; returns how far they prove that nothing else happened.
  private func read() async throws -> Instant {
    let runtime = try await open()
    _ = try await InboxSweep(runtime: runtime).readAll()
    let through = await runtime.writer.read { $0.inboxThrough }
    await runtime.close()
    return through
  }

  private static func watermark(_ hours: Int64) -> String {
    "{\"completeThrough\":\"\(start.adding(seconds: hours * 3_600))\"}\n"
  }

  @Test func theInboxIsCompleteOnceEverySourceWithActivitiesHasSaidSo() async throws {
    await (try open()).close()
    #expect(place.names(in: "data/inbox/cards") == ["done", "incoming", "rejected"])
    try place.write("data/inbox/backend/incoming/1.jsonl", Self.watermark(3))
    #expect(try await read() == .earliest)
    try place.write("data/inbox/shop/incoming/1.jsonl", Self.watermark(2))
    #expect(try await read() == Self.start.adding(seconds: 2 * 3_600))
    // An older file that comes again takes nothing back.
    try place.write("data/inbox/shop/incoming/2.jsonl", Self.watermark(4))
    try place.write("data/inbox/shop/incoming/3.jsonl", Self.watermark(2))
    #expect(try await read() == Self.start.adding(seconds: 3 * 3_600))
    #expect(place.names(in: "data/inbox/shop/done") == ["1.jsonl", "2.jsonl", "3.jsonl"])
    try place.write("data/inbox/backend/incoming/2.jsonl", Self.watermark(4))
    #expect(try await read() == Self.start.adding(seconds: 4 * 3_600))
    try place.write("data/inbox/incoming/1.jsonl", Self.watermark(5))
    #expect(try await read() == Self.start.adding(seconds: 5 * 3_600))
  }

  /// What a source said by a clock that was ahead is void, and what cannot be read was never said.
  @Test func onlyWhatASourceCanHaveSaidCounts() async throws {
    await (try open()).close()
    try place.write("data/inbox/backend/incoming/1.jsonl", Self.watermark(3))
    try place.write("data/inbox/shop/complete", "2030-01-01T00:00:00Z\n")
    #expect(try await read() == .earliest)
    try place.write("data/inbox/shop/incoming/1.jsonl", Self.watermark(2))
    #expect(try await read() == Self.start.adding(seconds: 2 * 3_600))
    try place.remove("data/inbox/shop/complete")
    try FileManager.default.createDirectory(
      atPath: "\(place.path)/data/inbox/shop/complete", withIntermediateDirectories: true)
    try place.write("data/inbox/backend/incoming/2.jsonl", Self.watermark(4))
    #expect(try await read() == Self.start.adding(seconds: 2 * 3_600))
    // Its file waits until its word can be kept.
    try place.write("data/inbox/shop/incoming/2.jsonl", Self.watermark(4))
    #expect(try await read() == Self.start.adding(seconds: 2 * 3_600))
    #expect(place.names(in: "data/inbox/shop/incoming") == ["2.jsonl"])
    try place.remove("data/inbox/shop/complete")
    #expect(try await read() == Self.start.adding(seconds: 4 * 3_600))
  }

  /// A source that is not configured any more may still have something to say.
  @Test func filesOfAnUnknownSourceKeepTheInboxIncomplete() async throws {
    await (try open()).close()
    try FileManager.default.createDirectory(
      atPath: "\(place.path)/data/inbox/old/incoming", withIntermediateDirectories: true)
    for source in ["backend", "shop"] {
      try place.write("data/inbox/\(source)/incoming/1.jsonl", Self.watermark(3))
    }
    try place.write("data/inbox/old/incoming/1.jsonl", Self.watermark(3))
    #expect(try await read() == .earliest)
    try place.remove("data/inbox/old/incoming/1.jsonl")
    #expect(try await read() == Self.start.adding(seconds: 3 * 3_600))
  }

  /// What waits in them is in a backup, and what they have said is not: lines may be missing.
  @Test func waitingFilesAreBackedUpAndWhatWasSaidIsForgotten() async throws {
    await (try open()).close()
    for source in ["backend", "shop"] {
      try place.write("data/inbox/\(source)/incoming/1.jsonl", Self.watermark(3))
    }
    _ = try await read()
    try place.write("data/inbox/shop/incoming/2.jsonl", Self.watermark(4))
    try await place.loseAndRestore(now: Self.start, isInboxComplete: true)
    #expect(place.names(in: "data/inbox/shop/incoming") == ["2.jsonl"])
    #expect(place.names(in: "data/inbox/shop").contains("complete") == false)
  }
}
