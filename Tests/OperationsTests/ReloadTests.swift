import CivilTime
import Ledger
import LedgerStore
import Operations
import RewardRules
import Sandbox
import Scheduling
import TestSupport
import Testing

/// A running service reads users and rules again when it is asked to; what is broken stays as it was.
@Suite(.offThePool) struct ReloadTests {
  private static let noon = Instant(seconds: 1_795_176_000)

  /// Rules from far back, in which a comment is worth this much.
  private func rules(_ version: String, comment: Int, corrects: String? = nil) -> String {
    let correction = corrects.map { "\"corrects\": \"\($0)\"," } ?? ""
    return """
      {"version": "\(version)", \(correction) "effectiveFrom": "2024-01-01",
       "missions": {"comment": {"points": \(comment), "exp": 1}}}
      """
  }

  private func comment(_ user: String) -> [UInt8] {
    Array("{\"user\":\"\(user)\",\"kind\":\"comment\",\"at\":\"\(Self.noon)\"}\n".utf8)
  }

  @Test func takesNewUsersAndRulesAndKeepsTheOldOnesWhenTheNewAreBroken() async throws {
    var settings = TestPlace.Settings()
    settings.rules = ["./rules.json", "./more.json"]
    settings.inboxEverySeconds = 60
    let place = try TestPlace(settings)
    try place.write("rules.json", rules("one", comment: 100))
    try place.write("more.json", rules("two", comment: 200, corrects: "one"))
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n")
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let runtime = try await place.open(clock)
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    let running = clock.start { await service.run() }

    /// Lets the service read again, take the inbox, and tell what the user has.
    func points(of user: String, file: String) async throws -> Int64? {
      signals.reload()
      try await runtime.inbox.handOver(comment(user), as: file)
      await clock.run(until: clock.now().adding(seconds: 120))
      return await runtime.writer.read { $0.ledger.balance(of: user)?.points }
    }

    #expect(try await points(of: "ann", file: "1.jsonl") == 225)
    try place.write("users.jsonl", "{\"user\":\"bob\",\"timezone\":\"UTC\"}\nbroken\n")
    try place.write("more.json", "{\"version\": \"two\",")
    #expect(try await points(of: "bob", file: "2.jsonl") == 225)
    #expect(place.log.contains { $0.contains("the old ones stay") })
    #expect(place.log.contains { $0.contains("a roster line was refused") })

    try place.write("more.json", rules("two", comment: 200, corrects: "one"))
    try place.write("rules.json", rules("one", comment: 100))
    try place.configure(settings)
    try place.write("users.jsonl", "{\"user\":\"cyd\",\"timezone\":\"UTC\"}\n")
    try place.write("more.json", rules("three", comment: 300, corrects: "two"))
    #expect(try await points(of: "cyd", file: "3.jsonl") == 325)
    signals.stop()
    await running.value
    await runtime.close()
    let again = try await place.open(clock)
    // What was corrected is in the ledger too: whoever reads it can resolve the corrections.
    #expect(
      await again.writer.read { $0.ledger.rules.documents.map(\.version) } == [
        "one", "two", "three",
      ])
    await again.close()
  }

  /// Whoever is told that the rules may not come into use corrects their file; a service that waits for that reads it again.
  @Test func beginsOnceItsRulesAreCorrected() async throws {
    var settings = TestPlace.Settings()
    settings.rules = ["./rules.json"]
    settings.inboxEverySeconds = 60
    let place = try TestPlace(settings)
    try place.write("rules.json", rules("one", comment: 100))
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n")
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let runtime = try await place.open(clock)
    try place.write("rules.json", "{\"version\": \"one\",")
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    let running = clock.start { await service.run() }
    try await runtime.inbox.handOver(comment("ann"), as: "1.jsonl")
    signals.reload()
    await clock.run(until: clock.now().adding(seconds: 120))
    #expect(await runtime.writer.read { $0.ledger.accounts.isEmpty })
    let complaints = place.log.filter { $0.contains("the rules could not be recorded") }
    #expect(complaints.count == 1, "it is told once, not at every try")

    try place.write("rules.json", rules("one", comment: 100))
    await clock.run(until: clock.now().adding(seconds: 120))
    #expect(await runtime.writer.read { $0.ledger.balance(of: "ann")?.points } == 125)
    signals.stop()
    await running.value
    await runtime.close()
  }
}
