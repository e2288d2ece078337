import CivilTime
import Foundations
import Operations
import Scheduling
import TestSupport
import Testing

@testable import rewards

/// Days that a command line names relative to the present.
@Suite(.offThePool) struct RelativeDaysTests {
  /// The dates that a command gets on Friday, 20 November 2026, at three in the afternoon in UTC; in Tokyo Saturday begins then.
  private func dates(
    _ command: any Command.Type, _ words: [String], zone: String = "Asia/Tokyo",
    fire: JobFire? = nil
  ) async throws -> ParsedArguments {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "rewards.json", "{\"data\": \"\(folder.path)/data\", \"defaultTimeZone\": \"\(zone)\"}")
    let sink = MemorySink()
    let environment = ProgramEnvironment(
      variables: [:], output: sink, errors: sink, clock: FixedClock(at: Instant(seconds: 0)),
      zones: testZones, readInput: { (_) throws(ReadError) in [] }, fire: fire)
    let name = command.spec.name.split(separator: " ").map { String($0) }
    let line = name + words + ["--config", file, "--now", "2026-11-20T15:00:00Z"]
    guard
      case .command(_, let parsed) = try ArgumentParser(commands: CommandList.all).parse(line)
    else { throw NoCommand() }
    let context = CommandContext(
      environment, try CommonOptions(parsed, environment: [:]), name: "test")
    return try await RelativeDays(of: command.spec, in: context).resolved(parsed)
  }

  private struct NoCommand: Error {}

  @Test(arguments: [
    (["--from", "yesterday", "--to", "today"], "2026-11-20", "2026-11-21"),
    (["--month", "2028-02"], "2028-02-01", "2028-02-29"),
    (["--last-week"], "2026-11-09", "2026-11-15"),
    (["--from", "last-week"], "2026-11-09", nil), (["--to", "last-week"], nil, "2026-11-15"),
    (["--from", "2026-11-01"], "2026-11-01", nil), ([], nil, nil),
  ])
  func namesAreReplacedByDates(words: [String], from: String?, to: String?) async throws {
    let parsed = try await dates(AuditCommand.self, words)
    #expect(parsed.value("from") == from && parsed.value("to") == to)
    #expect(!parsed.has("month") && !parsed.has("last-week"))
  }

  @Test func theZoneIsTheDefaultOne() async throws {
    let parsed = try await dates(
      RulesShowCommand.self, ["--day", "today"], zone: "America/New_York")
    #expect(parsed.value("day") == "2026-11-20")
  }

  /// The zone that the command names; no configuration is needed.
  @Test func aNamedZoneGoesBefore() async throws {
    let parsed = try await dates(ZonesDayCommand.self, ["Pacific/Kiritimati", "yesterday"])
    #expect(parsed.arguments == ["Pacific/Kiritimati", "2026-11-20"])
  }

  /// The zones of an option, too; where they differ in what the word means, dates must be written.
  @Test func optionsNameZones() async throws {
    let words = ["--from", "yesterday", "--to", "yesterday", "--reason", "r", "--zone"]
    let parsed = try await dates(ExcuseCommand.self, words + ["America/New_York"])
    #expect(parsed.value("from") == "2026-11-19" && parsed.value("to") == "2026-11-19")
    let alike = words + ["America/New_York", "--zone", "Europe/Paris"]
    #expect(try await dates(ExcuseCommand.self, alike).value("from") == "2026-11-19")
    await #expect(throws: (any Error).self) {
      try await dates(ExcuseCommand.self, words + ["America/New_York", "--zone", "Asia/Tokyo"])
    }
  }

  /// A job that runs late is about the days of its fire, in the zone of its fire.
  @Test func aJobGoesByItsFire() async throws {
    let zone = try testZones.zone(named: "America/New_York")
    let job = try JobFile.parse(
      Array(#"{"name":"j","timeZone":"user","do":["audit"],"schedule":"0 6 * * *"}"#.utf8),
      zones: testZones
    ).get()
    let due = try #require(job.nextFire(after: Instant(seconds: 1_762_000_000), in: zone))
    let fire = JobFire(job: job, zone: zone.name, fire: due, begin: due.instant)
    let parsed = try await dates(AuditCommand.self, ["--from", "yesterday"], fire: fire)
    #expect(parsed.value("from") == due.nominalLocal.day.adding(days: -1).description)
  }

  /// Instants are [from, to), so a day as its end ends there.
  @Test func daysBecomeInstants() async throws {
    let parsed = try await dates(
      RelayReplayCommand.self, ["--from", "yesterday", "--to", "yesterday"])
    #expect(parsed.value("from") == "2026-11-19T15:00:00Z")
    #expect(parsed.value("to") == "2026-11-20T15:00:00Z")
    let month = try await dates(JobsAuditCommand.self, ["--month", "2026-10"])
    #expect(month.value("from") == "2026-09-30T15:00:00Z")
    #expect(month.value("to") == "2026-10-31T15:00:00Z")
  }

  @Test func theLastThirtyDaysAreUsual() async throws {
    let parsed = try await dates(SimulateCommand.self, ["--rules", "r"])
    #expect(parsed.value("from") == "2026-10-23" && parsed.value("to") == "2026-11-21")
    let open = try await dates(SimulateCommand.self, ["--rules", "r", "--to", "2026-11-10"])
    #expect(open.value("from") == "2026-10-12" && open.value("to") == "2026-11-10")
  }

  /// What a service gets holds dates: it may carry it out after midnight.
  @Test func requestsHoldDates() async throws {
    let parsed = try await dates(
      ExcuseCommand.self, ["--from", "yesterday", "--to", "today", "--reason", "r"])
    let sink = MemorySink()
    let environment = ProgramEnvironment(
      variables: [:], output: sink, errors: sink, clock: FixedClock(at: Instant(seconds: 0)),
      zones: testZones, readInput: { (_) throws(ReadError) in [] })
    let context = CommandContext(
      environment, try CommonOptions(ParsedArguments(), environment: [:]), name: "test")
    let request = try ExcuseDeclareCommand.request(parsed, in: context)
    let text = String(decoding: RequestParcel(request, in: context).bytes, as: UTF8.self)
    #expect(text.contains("2026-11-20") && text.contains("2026-11-21"))
    #expect(!text.contains("yesterday"))
  }

  @Test(arguments: [
    ["--month", "2026-13"], ["--month", "2026-1"], ["--month", "2026-10", "--last-week"],
    ["--last-week", "--from", "today"],
  ])
  func refusesWhatSaysTwoThings(words: [String]) async throws {
    await #expect(throws: (any Error).self) {
      try await dates(AuditCommand.self, words)
    }
  }
}
