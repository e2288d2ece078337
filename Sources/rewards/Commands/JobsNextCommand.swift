import CivilTime
import Described
import Failures
import Scheduling
import StrictJSON

/// Shows when a schedule fires. Needs no configuration.
struct JobsNextCommand: Command {
  private static let countLimit = 10_000

  static let spec = CommandSpec(
    "jobs next", "show when a schedule fires next", shards: .none,
    details: """
      A schedule has five fields: minute, hour, day of the month, month, weekday; with
      names, lists, ranges and steps; or it is @hourly, @daily, @midnight, @weekly,
      @monthly, @yearly or @annually. A schedule that names its minute and hour fires once
      for each local time, whatever the zone does: a time that a change of the clocks skips
      fires after the change. A job does not run for a whole date that its zone skips.
      """,
    arguments: [.init("EXPR", help: "the schedule in quotes, such as \"30 0 * * *\"")],
    options: [
      .init("zone", "ZONE", isRequired: true, help: "the zone of the schedule, an IANA name"),
      .init("from", "INSTANT", help: "show the times after this one (default: now)"),
      .init("count", "N", help: "show this many times (default: 5)"),
    ],
    examples: [
      .init("rewards jobs next \"30 0 * * *\" --zone Asia/Tokyo", "the next five nights"),
      .init(
        "rewards jobs next @weekly --zone Europe/Paris --from 2026-10-20T00:00:00Z --count 2",
        "two weeks across a change of the clocks"),
    ])

  private static let output = JSONMembers<[String]> {
    $0.add("next", { $0 }, "with the zone's offset")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let zone = try context.zones.zone(named: arguments.required("zone"))
    let schedule = try Schedule(arguments.arguments[0])
    let count = try NumberArgument.parse(
      arguments.value("count") ?? "5", place: "--count", in: 1...countLimit)
    let from =
      try arguments.value("from").map { try InstantArgument.parse($0, place: "--from").instant }
      ?? context.present
    let fires = times(of: schedule, in: zone, after: from, count: count)
    context.report(fires, as: output) {
      fires.map { "\($0)\n" }.joined()
    }
    return .done
  }

  /// Returns at most `count` fire times with the zone's offset, fewer when the schedule ends. An instant to which a gap moves several local
  /// times appears once.
  private static func times(
    of schedule: Schedule, in zone: Zone, after start: Instant, count: Int
  ) -> [String] {
    var times: [String] = []
    var fire = schedule.nextFire(after: start, in: zone)
    while let found = fire, times.count < count {
      let offset = zone.offsetSeconds(at: found.instant)
      let time = InstantFormat.text(of: found.instant, fraction: .asNeeded, offsetSeconds: offset)
      if time != times.last { times.append(time) }
      fire = schedule.nextFire(after: found, in: zone)
    }
    return times
  }
}
