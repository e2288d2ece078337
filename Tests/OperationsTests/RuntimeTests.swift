import CivilTime
import Configuration
import Evidence
import Foundation
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// A data folder is opened, worked in, closed, and opened again.
@Suite(.offThePool) struct RuntimeTests {
  private static let noon = Instant(seconds: 1_795_176_000)
  private static let roster = RosterFile(
    Array("{\"user\":\"ann\",\"timezone\":\"Asia/Tokyo\"}\n{\"user\":\"bob\"}\n".utf8))

  private func ingest(_ text: String, at runtime: Runtime) async throws -> Ingestion.Report {
    try await Ingestion(runtime).run(Array(text.utf8), name: "\(UUID().uuidString).jsonl")
  }

  private func login(_ user: String, at: Instant = noon) -> String {
    "{\"user\":\"\(user)\",\"kind\":\"login\",\"at\":\"\(at)\"}\n"
  }

  @Test func findsWhatItLeft() async throws {
    let place = try TestPlace()
    let clock = FixedClock(at: Self.noon)
    let first = try await place.open(clock)
    _ = try await RosterImport(first.writer).run(Self.roster, defaultZone: "Asia/Tokyo", by: "test")
    #expect(try await ingest(login("ann"), at: first).counts.amounts.points == 25)
    let head = first.store?.head
    await first.close()

    let second = try await place.open(clock)
    #expect(await second.writer.read { $0.ledger.accounts.count } == 2)
    #expect(await second.writer.read { $0.ledger.seq } == head?.seq)
    #expect(await second.writer.read { $0.ledger.balance(of: "ann")?.points } == 25)
    #expect(try await ingest(login("ann"), at: second).counts.appended == 0)
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
    _ = try await RosterImport(first.writer).run(Self.roster, defaultZone: "Asia/Tokyo", by: "test")
    _ = try await ingest(login("ann"), at: first)
    await first.saveState()
    #expect(!place.names(in: "data/state").contains { $0.hasPrefix("snapshot") })
    // As if that many records had been written.
    first.tail.withLock { $0.recordsSinceSnapshot = Runtime.snapshotEvery }
    await first.saveState()
    let head = first.store?.head
    _ = try await ingest(login("bob"), at: first)
    await first.close()

    let second = try await place.open(clock)
    #expect(second.store?.report.snapshot == head)
    #expect(await second.writer.read { $0.ledger.balance(of: "ann")?.points } == 25)
    #expect(await second.writer.read { $0.ledger.balance(of: "bob")?.points } == 25)
    #expect(second.tail.withLock { $0.recordsSinceSnapshot } > 0)
    #expect(second.tail.withLock { $0.recordsSinceSnapshot } < 10)
    let replayed = try await StateReading.read(LedgerReader.open(place.directory))
    let kept = await second.writer.read { $0.ledger }
    #expect(StateSnapshot.write(kept) == StateSnapshot.write(replayed))
    await second.close()
  }

  @Test func aDryRunLeavesTheFolderAsItWas() async throws {
    let place = try TestPlace()
    let clock = FixedClock(at: Self.noon)
    let first = try await place.open(clock)
    _ = try await RosterImport(first.writer).run(Self.roster, defaultZone: "Asia/Tokyo", by: "test")
    await first.close()
    let head = try LedgerReader.open(place.directory).head
    try place.write("data/inbox/incoming/1.jsonl", login("ann") + "nonsense\n")

    let dry = try await place.open(clock, writes: false)
    let report = try await Reconciliation(dry, ReconcileOrder()).run()
    #expect(report.counts.amounts.points == 25)
    #expect(report.rejectedLines == 1)
    await dry.close()
    #expect(try LedgerReader.open(place.directory).head == head)
    #expect(place.names(in: "data/inbox/incoming") == ["1.jsonl"])
    #expect(place.names(in: "data/inbox/done") == [])
    #expect(place.names(in: "data/inbox/rejected") == [])
  }

  @Test func aDryRunNeedsNoFolder() async throws {
    let place = try TestPlace()
    let dry = try await place.open(FixedClock(at: Self.noon), writes: false)
    let report = try await Reconciliation(dry, ReconcileOrder()).run()
    #expect(report.counts.appended == 0)
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
    let runtime = try await place.open(FixedClock(at: Self.noon))
    await runtime.close()
  }

  @Test func aFileThatCannotBePutAwayStopsNobodyElse() async throws {
    let place = try TestPlace()
    let runtime = try await place.open(FixedClock(at: Self.noon))
    _ = try await RosterImport(runtime.writer).run(
      Self.roster, defaultZone: "Asia/Tokyo", by: "test")
    // A folder stands where its rejected line should go.
    try FileManager.default.createDirectory(
      atPath: "\(place.path)/data/inbox/rejected/1.jsonl.tmp/x", withIntermediateDirectories: true)
    try place.write("data/inbox/incoming/1.jsonl", login("ann") + "nonsense\n")
    try place.write("data/inbox/incoming/2.jsonl", login("bob"))
    let report = try await Reconciliation(runtime, ReconcileOrder()).run()
    #expect(report.counts.amounts.points == 50)
    #expect(report.problems.count == 1)
    #expect(place.names(in: "data/inbox/incoming") == ["1.jsonl"])
    await runtime.close()
  }
}
