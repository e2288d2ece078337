import CivilTime
import Evidence
import Foundation
import Ledger
import LedgerStore
import Sandbox
import Scheduling
import TestSupport
import Testing
import Threading

@testable import Operations

/// A data folder is opened, worked in, closed, and opened again.
@Suite(.offThePool) struct WorkplaceTests {
  private static let noon = Instant(seconds: 1_795_176_000)
  private static let roster = RosterFile(
    Array("{\"user\":\"ann\",\"timezone\":\"Asia/Tokyo\"}\n{\"user\":\"bob\"}\n".utf8))

  private func ingest(_ text: String, at workplace: Workplace) async throws -> Ingestion.Report {
    try await Ingestion(workplace).run(Array(text.utf8), name: "\(UUID().uuidString).jsonl")
  }

  private func login(_ user: String, at: Instant = noon) -> String {
    "{\"user\":\"\(user)\",\"kind\":\"login\",\"at\":\"\(at)\"}\n"
  }

  @Test func findsWhatItLeft() async throws {
    let place = try TestPlace()
    let clock = FixedClock(at: Self.noon)
    let first = try await place.open(clock)
    _ = try await first.clerk.take(Self.roster, defaultZone: "Asia/Tokyo")
    #expect(try await ingest(login("ann"), at: first).tally.points == 25)
    let head = first.store?.head
    await first.close()

    let second = try await place.open(clock)
    #expect(await second.clerk.read { $0.book.accounts.count } == 2)
    #expect(await second.clerk.read { $0.book.seq } == head?.seq)
    #expect(await second.clerk.read { $0.book.balance(of: "ann")?.points } == 25)
    #expect(try await ingest(login("ann"), at: second).tally.appended == 0)
    await second.close()
  }

  @Test func isHeldByOneAtATime() async throws {
    let place = try TestPlace()
    let clock = FixedClock(at: Self.noon)
    let first = try await place.open(clock)
    let error = await #expect(throws: LedgerError.self) { try await place.open(clock) }
    #expect(error?.kind == .locked)
    #expect(error?.cause.contains("rewards test") == true)
    await first.close()
    let second = try await place.open(clock)
    await second.close()
  }

  @Test func aSnapshotIsUsedAtTheNextStart() async throws {
    let place = try TestPlace()
    let clock = FixedClock(at: Self.noon)
    let first = try await place.open(clock)
    _ = try await first.clerk.take(Self.roster, defaultZone: "Asia/Tokyo")
    _ = try await ingest(login("ann"), at: first)
    await first.keepState()
    #expect(!place.names(in: "data/state").contains { $0.hasPrefix("snapshot") })
    // As if that many records had been written.
    first.tail.withLock { $0.recordsSinceSnapshot = Workplace.snapshotEvery }
    await first.keepState()
    let head = first.store?.head
    _ = try await ingest(login("bob"), at: first)
    await first.close()

    let second = try await place.open(clock)
    #expect(second.store?.report.snapshot == head)
    #expect(await second.clerk.read { $0.book.balance(of: "ann")?.points } == 25)
    #expect(await second.clerk.read { $0.book.balance(of: "bob")?.points } == 25)
    #expect(second.tail.withLock { $0.recordsSinceSnapshot } > 0)
    #expect(second.tail.withLock { $0.recordsSinceSnapshot } < 10)
    let replayed = try await BookReading.read(place.directory)
    let kept = await second.clerk.read { $0.book }
    #expect(BookSnapshot.write(kept) == BookSnapshot.write(replayed))
    await second.close()
  }

  @Test func aDryRunLeavesTheFolderAsItWas() async throws {
    let place = try TestPlace()
    let clock = FixedClock(at: Self.noon)
    let first = try await place.open(clock)
    _ = try await first.clerk.take(Self.roster, defaultZone: "Asia/Tokyo")
    await first.close()
    let head = try await LedgerReading.head(place.directory)
    try place.write("data/inbox/incoming/1.jsonl", login("ann") + "nonsense\n")

    let dry = try await place.open(clock, writes: false)
    let report = try await Reconciliation(dry, ReconcileOrder()).run()
    #expect(report.tally.points == 25)
    #expect(report.rejectedLines == 1)
    await dry.close()
    #expect(try await LedgerReading.head(place.directory) == head)
    #expect(place.names(in: "data/inbox/incoming") == ["1.jsonl"])
    #expect(place.names(in: "data/inbox/done") == [])
    #expect(place.names(in: "data/inbox/rejected") == [])
  }

  @Test func aDryRunNeedsNoFolder() async throws {
    let place = try TestPlace()
    let dry = try await place.open(FixedClock(at: Self.noon), writes: false)
    let report = try await Reconciliation(dry, ReconcileOrder()).run()
    #expect(report.tally.appended == 0)
    await dry.close()
    #expect(place.names(in: ".").contains("data") == false)
  }

  @Test(arguments: [
    ("api-token", "the secret"), ("draw-secret", "the secret"),
  ])
  func saysWhichSecretIsMissing(file: String, text: String) async throws {
    var settings = TestPlace.Settings()
    settings.baseURL = "http://127.0.0.1:9/api/v1"
    let place = try TestPlace(settings)
    try place.remove(file)
    let error = await #expect(throws: SecretError.self) {
      try await place.open(FixedClock(at: Self.noon))
    }
    #expect(error.map { "\($0)" }?.contains(file) == true)
    // Nothing was begun, and nobody holds the folder.
    #expect(place.names(in: "data/ledger") == [])
  }

  @Test func aBrokenRulesFileGivesTheFolderBack() async throws {
    var settings = TestPlace.Settings()
    settings.rules = ["./rules.json"]
    let place = try TestPlace(settings)
    try place.write("rules.json", "{\"version\": ")
    await #expect(throws: RulesFileProblems.self) {
      try await place.open(FixedClock(at: Self.noon))
    }
    try place.configure(TestPlace.Settings())
    let workplace = try await place.open(FixedClock(at: Self.noon))
    await workplace.close()
  }

  @Test func aFileThatCannotBePutAwayStopsNobodyElse() async throws {
    let place = try TestPlace()
    let workplace = try await place.open(FixedClock(at: Self.noon))
    _ = try await workplace.clerk.take(Self.roster, defaultZone: "Asia/Tokyo")
    // A folder stands where the file should go.
    try FileManager.default.createDirectory(
      atPath: "\(place.path)/data/inbox/done/1.jsonl/x", withIntermediateDirectories: true)
    try place.write("data/inbox/incoming/1.jsonl", login("ann"))
    try place.write("data/inbox/incoming/2.jsonl", login("bob"))
    let report = try await Reconciliation(workplace, ReconcileOrder()).run()
    #expect(report.tally.points == 50)
    #expect(report.problems.count == 1)
    #expect(place.names(in: "data/inbox/incoming") == ["1.jsonl"])
    await workplace.close()
  }
}
