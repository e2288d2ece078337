import CivilTime
import Engine
import Foundation
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import Operations
import RewardRules
import Scheduling
import StrictJSON
import TestSupport
import Testing

/// Whoever folds the events of a user in their order has the user's balance, whatever was corrected, undone, doubled or mixed
/// with other users' events.
@Suite(.offThePool) struct RelayFoldTests {
  private static let users = (0..<6).map { "u\($0)" }

  /// A week of deeds; grants taken back, given back and taken back again; late facts by a backfill; a grant by hand.
  private func place() async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.relay =
      "{\"journal\": {\"kind\": \"file\", \"path\": \"./events.jsonl\", \"events\": [\"rewards\"]}}"
    let place = try TestPlace(settings)
    try await place.at("2026-11-10T00:00:00Z") { runtime in
      let roster = Self.users.map { "{\"user\":\"\($0)\",\"timezone\":\"UTC\"}\n" }.joined()
      try await runtime.hire(roster)
    }
    for number in 10...16 {
      try await place.at("2026-11-\(number + 1)T00:30:00Z") { runtime in
        try await deeds("comment", number, Self.users, at: runtime)
        _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      }
    }
    try await correct(place)
    return place
  }

  private func correct(_ place: TestPlace) async throws {
    var chosen = GrantSelection()
    chosen.keys = ["u0/2026-11-12/comment", "u1/2026-11-11/comment"]
    for (hour, isUndone) in [(1, false), (2, true), (3, false), (4, true), (5, false)] {
      try await reverse(chosen, undoing: isUndone, hour: hour, at: place)
    }
    try await place.at("2026-11-17T06:00:00Z") { runtime in
      // Facts of closed days: a plan brings them in.
      try await deeds("purchase", 13, ["u2", "u3"], at: runtime)
      let clock = FixedClock(at: try InstantText.parse("2026-11-17T06:00:00Z").instant)
      let order = BackfillOrder(
        days: Day(number: 20_767)...Day(number: 20_773), users: Set(Self.users))
      let plan = try await BackfillPlanner(place.configuration(), place.environment(clock)).plan(
        order, in: LedgerReader.open(place.directory))
      _ = try await BackfillApplication(runtime).apply(plan, by: "tests")
    }
  }

  private func reverse(
    _ selection: GrantSelection, undoing: Bool, hour: Int, at place: TestPlace
  ) async throws {
    let text = "2026-11-17T0\(hour):00:00Z"
    let clock = FixedClock(at: try InstantText.parse(text).instant)
    try await place.at(text) { runtime in
      let made = try await ReversalPlanner(try place.configuration(), place.environment(clock))
        .plan(
          selection, in: LedgerReader.open(place.directory), undoing: undoing, protection: .nothing,
          balances: [], reason: "a test",
          actor: "tester")
      _ = try await BackfillApplication(runtime).apply(made.plan, by: "tests")
    }
  }

  private func deeds(
    _ kind: String, _ number: Int, _ users: [String], at runtime: Runtime
  ) async throws {
    let lines = users.map {
      "{\"user\":\"\($0)\",\"kind\":\"\(kind)\",\"at\":\"2026-11-\(number)T12:00:00Z\"}\n"
    }
    _ = try await Ingestion(runtime).run(
      Array(lines.joined().utf8), name: "\(kind)-\(number).jsonl")
  }

  /// Serves until the sinks have everything.
  private func serve(_ place: TestPlace) async throws {
    let clock = FixedClock(at: try InstantText.parse("2026-11-17T07:00:00Z").instant)
    let runtime = try await place.open(clock)
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    signals.stop()
    await service.run()
    await runtime.close()
  }

  private func events(_ place: TestPlace) -> [JSONNode] {
    place.read("events.jsonl").split(separator: "\n").compactMap {
      try? JSONNode.parse(Array($0.utf8))
    }
  }

  /// Doubles some events and mixes the users, each user's own events staying in order as they first come.
  private func shaken(_ events: [JSONNode], seed: UInt64) -> [JSONNode] {
    var random = SplitMix64(seed: seed)
    var lanes = Dictionary(grouping: events) { $0["subject"]?.string ?? "" }.mapValues { $0[...] }
    var mixed: [JSONNode] = []
    while let user = lanes.keys.sorted().randomElement(using: &random) {
      guard let event = lanes[user]?.popFirst() else {
        lanes[user] = nil
        continue
      }
      mixed.append(event)
      if random.chance(0.3) { mixed.append(random.pick(mixed)) }
    }
    return mixed
  }

  private struct Sum: Equatable {
    var points: Int64 = 0
    var coins: Int64 = 0
    var items: Set<String> = []
  }

  private func fold(_ events: [JSONNode]) -> [String: Sum] {
    var seen: Set<String> = []
    var sums: [String: Sum] = [:]
    for event in events {
      guard let id = event["id"]?.string, seen.insert(id).inserted,
        let user = event["subject"]?.string, let data = event["data"],
        event["type"]?.string?.contains(".reward.") == true
      else { continue }
      var sum = sums[user] ?? Sum()
      sum.points += data["points"]?.int ?? 0
      sum.coins += data["coins"]?.int ?? 0
      sum.items.subtract((data["removedItems"]?.elements ?? []).compactMap(\.string))
      sum.items.formUnion((data["items"]?.elements ?? []).compactMap(\.string))
      sums[user] = sum
    }
    return sums
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func theFoldOfTheEventsIsTheBalance(seed: UInt64) async throws {
    let place = try await place()
    try await serve(place)
    let events = events(place)
    let sums = fold(shaken(events, seed: seed))
    let book = try await StateReading.read(LedgerReader.open(place.directory))
    for user in Self.users {
      let balance = try #require(book.balance(of: user))
      #expect(
        sums[user]
          == Sum(points: balance.points, coins: balance.coins, items: Set(balance.items)),
        "seed \(seed), \(user)")
    }
    let ids = events.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == ids.count)
    for id in ["!reversed", "!restored", "!reversed.2", "!restored.2", "!reversed.3"] {
      #expect(ids.contains("u0/2026-11-12/comment\(id)"))
    }
    #expect(events.contains { $0["data"]?["cause"]?.string?.hasPrefix("backfill:") == true })
  }

  /// What a correction tells of before and now is what the events before it add up to.
  @Test func aCorrectionTellsWhatWasAndWhatIs() async throws {
    let place = try await place()
    try await serve(place)
    var standing: [String: Int64] = [:]
    var corrections = 0
    for event in events(place) {
      guard let data = event["data"], let points = data["points"]?.int,
        event["type"]?.string?.contains(".reward.") == true
      else { continue }
      let key = try #require(data["adjusts"]?.string ?? data["key"]?.string)
      if let before = data["before"]?["points"]?.int {
        corrections += 1
        #expect(before == standing[key] ?? 0)
        #expect(data["now"]?["points"]?.int == before + points)
      }
      standing[key, default: 0] += points
    }
    #expect(corrections >= 10)
  }

  /// The whole state, never going back, and at last the right one.
  @Test func accountsEndWithTheBalance() async throws {
    let place = try await place()
    var settings = TestPlace.Settings()
    settings.relay =
      "{\"accounts\": {\"kind\": \"file\", \"path\": \"./events.jsonl\", \"events\": [\"account\"], \"everySeconds\": 0}}"
    try place.configure(settings)
    try await serve(place)
    let book = try await StateReading.read(LedgerReader.open(place.directory))
    var positions: [String: Int64] = [:]
    var points: [String: Int64] = [:]
    for event in events(place) {
      let user = try #require(event["subject"]?.string)
      let position = try #require(event["data"]?["position"]?.int)
      #expect(position >= positions[user] ?? 0)
      positions[user] = position
      points[user] = event["data"]?["points"]?.int
    }
    #expect(Set(points.keys) == Set(Self.users))
    for user in Self.users { #expect(points[user] == book.balance(of: user)?.points) }
  }
}
