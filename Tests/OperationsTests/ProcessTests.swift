import CivilTime
import Foundation
import Foundations
import HTTPServer
import Ledger
import LedgerStore
import Operations
import Sandbox
import Scheduling
import StrictJSON
import TestSupport
import Testing

/// The real program, its signals and its disk.
@Suite(.serialized, .offThePool) struct ProcessTests {
  private let clock = SystemClock()

  private func place(_ change: (inout TestPlace.Settings) -> Void = { _ in }) throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.inboxEverySeconds = 1
    settings.everyMinutes = 1
    change(&settings)
    let place = try TestPlace(settings)
    try place.write("users.jsonl", roster((0..<60).map { "u\($0)" }))
    return place
  }

  /// A roster of these users, judged from yesterday on.
  private func roster(_ ids: [String]) -> String {
    ids.map { "{\"user\":\"\($0)\",\"timezone\":\"UTC\",\"since\":\"\(yesterday)\"}\n" }.joined()
  }

  private var yesterday: Day {
    Day(number: Int32(clock.now().seconds / 86_400)).adding(days: -1)
  }

  /// Puts a file into the inbox as another program does: under another name first.
  private func deliver(_ text: String, _ name: String, to place: TestPlace) throws {
    try place.write("data/inbox/incoming/.\(name)", text)
    try FileManager.default.moveItem(
      atPath: "\(place.path)/data/inbox/incoming/.\(name)",
      toPath: "\(place.path)/data/inbox/incoming/\(name)")
  }

  /// A line that is worth five points besides the login, once.
  private func comment(_ user: Int) -> String {
    "{\"user\":\"u\(user)\",\"kind\":\"comment\",\"at\":\"\(yesterday)T12:00:00Z\"}\n"
  }

  /// Brings the roster in as of two days ago.
  private func importUsers(of place: TestPlace) async throws {
    let past = FixedClock(at: clock.now().adding(seconds: -2 * 86_400))
    let runtime = try await place.open(past)
    let roster = RosterFile(Array(place.read("users.jsonl").utf8))
    _ = try await RosterImport(runtime.writer).run(roster, defaultZone: "UTC", by: "test")
    await runtime.close()
  }

  /// How often the program is killed; more for a long night.
  private static let kills =
    Int(ProcessInfo.processInfo.environment["REWARDS_KILLS"] ?? "") ?? 10

  /// Files that wait for the program each time it is started.
  private static let filesPerRun = 40

  @Test(.timeLimit(.minutes(60))) func killedAtAnyInstantNothingIsLostOrDoubled() async throws {
    let seed = UInt64(clock.now().nanoseconds)
    var random = SplitMix64(seed: seed)
    let life = LifeModel(seed: 1, userCount: 1, firstDay: yesterday, dayCount: 2)
    let server = try SimulatedAPI(life: life, clock: clock).start()
    let place = try place { $0.baseURL = SimulatedAPI.baseURL(of: server) }
    let users = Self.kills * Self.filesPerRun
    try place.write("users.jsonl", roster((0..<users).map { "u\($0)" }))
    try await place.open(clock).close()
    for run in 0..<Self.kills {
      // Each line twice, the second time in a file of its own: it may be read again after any crash.
      for user in run * Self.filesPerRun..<(run + 1) * Self.filesPerRun {
        try deliver(comment(user) + comment(user), "\(10_000 + user).jsonl", to: place)
        if user % 4 == 0 { try deliver(comment(user), "\(50_000 + user).jsonl", to: place) }
      }
      let service = try ServiceProcess(place)
      if random.chance(0.8) {
        // Somewhere in the middle of the files.
        let taken = place.names(in: "data/inbox/done").count
        let more = Int(random.number(in: 1...Int64(Self.filesPerRun)))
        _ = await eventually { place.names(in: "data/inbox/done").count >= taken + more }
      }
      try await clock.sleep(seconds: random.fraction() * 0.03)
      service.kill()
      #expect(await service.ended() == -SIGKILL)
    }
    let service = try ServiceProcess(place)
    #expect(await service.answers(), "seed \(seed): \(service.log)")
    #expect(await eventually { place.names(in: "data/inbox/incoming").isEmpty })
    service.terminate()
    #expect(await service.ended() == 0)
    await server.stop()

    let facts = try LedgerFacts(place.directory)
    #expect(facts.doubled == [], "seed \(seed)")
    let wanted = Set((0..<users).map { "u\($0)/\(yesterday)/comment" })
    #expect(wanted.subtracting(facts.keys.keys) == [], "seed \(seed)")
    let book = try await StateReading.read(LedgerReader.open(place.directory))
    let points = Set((0..<users).map { book.balance(of: "u\($0)")?.points })
    #expect(points == [30], "seed \(seed)")
    #expect(facts.points.values.reduce(0, +) == Int64(users) * 30)
    #expect(try await LedgerReading.verify(place.directory, heads: []).isIntact)
    // Every event is whole and arrived at least once.
    let events = place.read("events.jsonl").split(separator: "\n").map { line in
      (try? JSONNode.parse(Array(line.utf8)))?["id"]?.string
    }
    #expect(!events.contains(nil))
    #expect(wanted.subtracting(events.compactMap { $0 }) == [], "seed \(seed)")
  }

  /// The polls of a job, of an operator's command, or of the service's own round are under way: none is waited for.
  @Test(arguments: ["job", "command", "round"])
  func endsInTheMiddleOfASweep(of what: String) async throws {
    let life = LifeModel(seed: 1, userCount: 60, firstDay: yesterday, dayCount: 2)
    let api = SimulatedAPI(
      life: life, clock: clock, faults: FaultPlan(latency: Latency(usualSeconds: 600...600)))
    let server = try api.start()
    let place = try place {
      $0.baseURL = SimulatedAPI.baseURL(of: server)
      $0.timeoutSeconds = 600
      // Only the round itself polls without being told to.
      if what != "round" { $0.everyMinutes = 1_000 }
    }
    try place.write("users.jsonl", roster(life.users.map(\.id)))
    if what == "job" {
      // Due since yesterday: it begins with the service.
      try await importUsers(of: place)
      try place.write(
        "jobs/now.json",
        """
        {"name": "now", "schedule": "* * * * *", "timeZone": "UTC", "do": ["reconcile"]}
        """)
    }
    let service = try ServiceProcess(place)
    #expect(await service.answers())
    let order = what == "command" ? try ServiceProcess(place, ["reconcile"]) : nil
    #expect(await eventually { api.counts.requests > 0 })
    // The answers would take ten minutes: whoever waited for them would not end.
    service.terminate()
    #expect(await service.ended() == 0, "\(service.log)")
    // It was in the service's hands: otherwise it would go on by itself.
    if let order { #expect(await order.ended() ?? 0 != 0, "\(order.log)") }
    await server.stop()
    let facts = try LedgerFacts(place.directory)
    #expect(facts.closes.isEmpty)
    #expect(facts.unknown.isEmpty)
  }

  /// SIGTERM is taken from the first instant on: by then the program either has not begun or ends by itself.
  @Test func noSignalIsLostWhileTheServiceStarts() async throws {
    let place = try place()
    try await place.open(clock).close()
    var random = SplitMix64(seed: 7)
    for _ in 0..<20 {
      let service = try ServiceProcess(place)
      try await clock.sleep(seconds: random.fraction() * 0.1)
      service.terminate()
      let code = await service.ended()
      #expect(code == 0 || code == -SIGTERM, "\(service.log)")
    }
    #expect(try await LedgerReading.verify(place.directory, heads: []).isIntact)
  }

  @Test func ofTwoStartedTogetherExactlyOneHolds() async throws {
    let place = try place()
    let services = [try ServiceProcess(place), try ServiceProcess(place)]
    #expect(await eventually { services.count { $0.isRunning } == 1 })
    let loser = try #require(services.first { !$0.isRunning })
    let winner = try #require(services.first { $0.isRunning })
    #expect(await loser.ended() == 75)
    #expect(loser.log.contains("rewards serve"))
    #expect(await winner.answers())
    winner.terminate()
    #expect(await winner.ended() == 0)
  }

  @Test func aTornTailIsCutAndKeptAside() async throws {
    let place = try place()
    try await place.open(clock).close()
    let segment = "data/ledger/00000000000000000001.jsonl"
    let whole = place.read(segment)
    let torn = whole + "{\"seq\":4,\"at\":\"2026\n\u{0}\u{0}garbage"
    try place.write(segment, torn)
    let service = try ServiceProcess(place)
    #expect(await service.answers())
    #expect(service.log.contains("unsealed bytes at the end of the ledger were cut off"))
    service.terminate()
    #expect(await service.ended() == 0)
    #expect(place.read(segment).hasPrefix(whole))
    #expect(
      place.names(in: "data/state").contains { place.read("data/state/\($0)").contains("garbage") })
    #expect(try await LedgerReading.verify(place.directory, heads: []).isIntact)
  }

  @Test func commandsReachTheServiceThatHoldsTheLedger() async throws {
    let place = try place()
    let service = try ServiceProcess(place)
    #expect(await service.answers())
    try place.write("more.jsonl", "{\"user\":\"zoe\",\"timezone\":\"UTC\"}\n")
    let imported = try ServiceProcess(place, ["users", "import", "\(place.path)/more.jsonl"])
    #expect(await imported.ended() == 0, "\(imported.log)")
    try place.write("comment.jsonl", comment(1))
    let ingested = try ServiceProcess(place, ["ingest", "\(place.path)/comment.jsonl"])
    #expect(await ingested.ended() == 0, "\(ingested.log)")
    let unknown = try ServiceProcess(place, ["users", "remove", "nobody"])
    #expect(await unknown.ended() == 65)
    #expect(
      await eventually { (try? LedgerFacts(place.directory))?.points["u1"] == 30 })
    try place.write("users.jsonl", "{\"user\":\"ben\",\"timezone\":\"UTC\"}\n")
    service.reload()
    #expect(
      try await eventually {
        try await StateReading.read(LedgerReader.open(place.directory)).index(of: "ben") != nil
      })
    #expect(try await StateReading.read(LedgerReader.open(place.directory)).index(of: "zoe") != nil)
    service.terminate()
    #expect(await service.ended() == 0)
  }

  /// Whether this process may mount a disk: not without root, nor in most containers.
  private static let mayMount: Bool = {
    var path = Array("\(FileManager.default.temporaryDirectory.path)/disk-XXXXXX".utf8CString)
    guard getuid() == 0, mkdtemp(&path) != nil else { return false }
    defer { rmdir(path) }
    guard mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(path, 2) == 0
  }()

  @Test(.enabled(if: mayMount, "mounting a small disk takes root, and a system that allows it"))
  func goesOnByItselfWhenAFullDiskHasSpaceAgain() async throws {
    let place = try place { $0.relay = "{}" }
    let disk = "\(place.path)/data"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=512k") == 0)
    defer { umount2(disk, 2) }
    let service = try ServiceProcess(place)
    #expect(await service.answers())
    let ballast = "data/ballast"
    try deliver((0..<30).map { comment($0) }.joined(), "1.jsonl", to: place)
    #expect(await eventually { (try? LedgerFacts(place.directory))?.points.count == 30 })
    try place.write("data/inbox/incoming/.2.jsonl", (30..<60).map { comment($0) }.joined())
    var size = 400_000
    while size >= 1 {
      // The whole disk, to the last page.
      if (try? place.append(ballast, count: size)) == nil { size /= 2 }
    }
    try FileManager.default.moveItem(
      atPath: "\(disk)/inbox/incoming/.2.jsonl", toPath: "\(disk)/inbox/incoming/2.jsonl")
    #expect(await eventually { service.log.contains("No space left") })
    #expect(service.isRunning)
    try place.remove(ballast)
    #expect(await eventually { (try? LedgerFacts(place.directory))?.points.count == 60 })
    #expect(await eventually { place.names(in: "data/inbox/done").count == 2 })
    service.terminate()
    #expect(await service.ended() == 0)
    let facts = try LedgerFacts(place.directory)
    #expect(facts.doubled == [])
    #expect(facts.points.values.allSatisfy { $0 == 30 })
    #expect(try await LedgerReading.verify(place.directory, heads: []).isIntact)
  }
}
