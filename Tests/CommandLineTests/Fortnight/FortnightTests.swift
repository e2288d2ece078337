import CivilTime
import Configuration
import Failures
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

@testable import rewards

private let variables = ProcessInfo.processInfo.environment
/// What this process is in a fortnight of several processes; nil where there is none.
private let part = variables["FORTNIGHT_PART"]

/// The parts of a fortnight in which several workers share a database: the world outside, and a worker. `Tests/Postgres/fortnight.py` starts
/// them as processes, gives them the time, and ends them in all ways; without it they are left out.
@Suite(
  .enabled(if: part != nil, "Tests/Postgres/fortnight.py starts these"), .offThePool
) struct FortnightTests {
  /// The service as `rewards serve` runs it, at the time that is given.
  @Test(.enabled(if: part == "worker")) func worker() async throws {
    let clock = try Self.clock()
    let zones = SystemZones(directory: nil)
    let environment = ProgramEnvironment(
      variables: variables, output: DescriptorSink(descriptor: STDOUT_FILENO),
      errors: DescriptorSink(descriptor: STDERR_FILENO), clock: clock, isClockShared: true,
      zones: zones, account: "fortnight", folder: FileManager.default.currentDirectoryPath,
      process: Main.processName(), zoneNames: { zones.names() }, readInput: { _ in [] })
    let steps = Task { try await clock.run() }
    let code = await Program(environment: environment).run([
      "serve", "--config", "rewards.json",
    ])
    // Of one ledger there is one holder: whoever comes besides, or while the server is down, is started again by its unit.
    let isAlone = try Self.number("FORTNIGHT_SHARDS") == 1
    let isRight = code == .done || isAlone && [.tryAgain, .unavailable].contains(code)
    #expect(isRight, "\(code)")
    steps.cancel()
  }

  /// Simulated lives, the API that tells of them with faults, the receiver of events and what hands in activities; in the end, when nobody
  /// gives the time any more, the comparison with the true lives.
  @Test(.enabled(if: part == "world")) func world() async throws {
    let clock = try Self.clock()
    let folder = FileManager.default.currentDirectoryPath
    let data = try #require(variables["FORTNIGHT_DATA"])
    var options = DemoWorld.Options()
    options.folder = folder
    options.users = try Self.number("FORTNIGHT_USERS")
    options.days = try Self.number("FORTNIGHT_DAYS")
    options.seed = UInt64(try Self.number("FORTNIGHT_SEED"))
    let world = DemoWorld(options)
    let api = SimulatedAPI(life: world.life, clock: clock, faults: world.faults)
    let server = try api.start()
    let receiver = RelayReceiver()
    let hook = try receiver.start()
    let files = [
      "rewards.json": world.configuration(
        baseURL: SimulatedAPI.baseURL(of: server), hook: "http://127.0.0.1:\(hook.port)/events",
        data: data),
      "users.jsonl": world.roster, "draw-secret": "draws of the fortnight\n",
      "api-token": SimulatedAPIOptions().token, "relay-secret": DemoWorld.relaySecret,
      "jobs/nightly-reconciliation.json": DemoWorld.nightlyJob,
    ]
    for (name, text) in files { try text.write(toFile: name, atomically: false, encoding: .utf8) }
    for secret in ["draw-secret", "api-token", "relay-secret"] { chmod(secret, 0o600) }
    let zones = SystemZones(directory: nil)
    let configuration = try ConfigurationLoader(environment: [:], zones: zones).load(
      file: "\(folder)/rewards.json", flags: [:])
    let shards = try Self.shards(of: configuration)
    let zone = try zones.zone(named: configuration.api.timeZone)
    let known = [DemoLine.backend(of: world), DemoLine.shop(of: world)]
    let feeding = zip(configuration.sources, known).map { source, lines in
      let feeder = DemoFeeder(world: world, clock: clock, lines: lines) { lines, name in
        for shard in shards {
          try await InboxFolder(shard.directory, of: source.terms, naiveZone: zone)
            .handOver(lines, as: name)
        }
      }
      return clock.start {
        do { try await feeder.run() } catch { Issue.record(error) }
      }
    }
    try await clock.run()
    for feeder in feeding { await feeder.value }
    await server.stop()
    await hook.stop()

    var json = JSONWriter()
    json.beginObject()
    json.member("requests", api.counts.requests)
    json.member("faults", api.counts.byFault.values.reduce(0, +))
    json.member("refusedByOutage", api.counts.refusedByOutage)
    try await Self.compare(world, shards, zones, receiver, into: &json)
    json.endObject()
    try json.text.write(toFile: "outcome.json", atomically: true, encoding: .utf8)
  }

  /// Compares the ledgers of all shards with the true lives, and what was delivered with the files of events.
  private static func compare(
    _ world: DemoWorld, _ shards: [Configuration], _ zones: SystemZones, _ receiver: RelayReceiver,
    into json: inout JSONWriter
  ) async throws {
    var (days, right, explained, closes, records) = (0, 0, 0, 0, 0)
    var wrong: [String] = []
    var files: [String] = []
    for (number, shard) in shards.enumerated() {
      let directory = shard.directory
      let verification = try await LedgerReading.verify(directory, heads: [])
      if !verification.isIntact { wrong.append("\(shard.data) is not intact") }
      records += verification.records
      let ledger = try await BlockingThread(named: "read").run {
        var ledger = DemoLedger()
        try LedgerReader.open(directory).scan { ledger.add($0) }
        return ledger
      }
      let findings = DemoCheck(world: world, ledger: ledger, holds: shard.holds).run()
      (days, right) = (days + findings.userDays, right + findings.rightGrants)
      explained += findings.explained
      let closed = try DemoCloses(zones: zones).check(ledger.closes)
      closes += closed.closes
      wrong += findings.wrong + findings.unexplained + closed.wrong
      files.append(shards.count == 1 ? "events.jsonl" : "events-\(number).jsonl")
    }
    wrong += try DemoHook(files: files).flaws(receiver).map { "event \($0)" }
    json.member("userDays", days)
    json.member("rightGrants", right)
    json.member("explained", explained)
    json.member("closes", closes)
    json.member("records", records)
    json.member("events", receiver.events.count)
    json.member("wrong", wrong)
  }

  /// The configuration of each shard of the configured database, which is in reach from now on.
  private static func shards(of configuration: Configuration) throws -> [Configuration] {
    let count = try number("FORTNIGHT_SHARDS")
    let database = try AttachedDatabase(
      of: configuration, worker: "the world outside",
      log: Log(level: .error, layout: .logfmt, clock: SystemClock()) { _ in })
    return (0..<count).map { number in
      database?.configuration(configuration, of: ShardID(number, of: count)) ?? configuration
    }
  }

  /// A variable that whoever starts a part has to set.
  private struct Missing: Error { let name: String }

  private static func clock() throws -> SteppedClock {
    try SteppedClock(from: Int32(number("FORTNIGHT_CLOCK")))
  }

  private static func number(_ name: String) throws -> Int {
    guard let number = variables[name].flatMap({ Int($0) }) else { throw Missing(name: name) }
    return number
  }
}
