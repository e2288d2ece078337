import CivilTime
import Described
import Failures
import StrictJSON

/// Shows the window of a date, or the date and window of an instant, in a time zone. Needs no configuration.
struct ZonesDayCommand: Command {
  static let spec = CommandSpec(
    "zones day", "show a day's window in a time zone, by date or by instant", shards: .none,
    details: """
      A window runs from the first instant of the date to the first instant of the next. It
      may last more or less than 24 hours; a date that the zone skips has none.
      """,
    arguments: [
      .init("ZONE", help: "an IANA name, such as Africa/Cairo"),
      .init(
        "DAY", isOptional: true,
        help: "a date, such as 2024-04-26, today or yesterday; not with --at"),
    ],
    options: [
      .init("at", "INSTANT", help: "the day that contains this instant"),
      .init("naive-zone", "ZONE", help: "the zone of an --at without an offset"),
    ],
    examples: [
      .init("rewards zones day Africa/Cairo 2024-04-26", "a day of 23 hours, without midnight"),
      .init(
        "rewards zones day Asia/Tokyo --at 2026-11-20T15:00:00Z --format json",
        "the date in Tokyo at that instant"),
      .init(
        "rewards zones day Asia/Tokyo --at '2026-11-20 23:59:59' --naive-zone Asia/Tokyo",
        "an instant as the app's API writes it"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let zone = try context.zones.zone(named: arguments.arguments[0])
    let naiveZone = try arguments.value("naive-zone").map { try context.zones.zone(named: $0) }
    let answer: Answer
    switch (arguments.argument(1), arguments.value("at")) {
    case (let text?, nil):
      let day = try DayArgument.parse(text, place: "DAY")
      answer = Answer(day: day, window: zone.window(of: day), at: nil)
    case (nil, let text?):
      let at = try InstantArgument.parse(text, place: "--at", naiveZone: naiveZone)
      let window = zone.window(containing: at.instant)
      answer = Answer(day: window.day, window: window, at: at)
    default:
      throw UsageError(cause: "pass either DAY or --at INSTANT", hint: "usage: \(spec.usage)")
    }
    guard answer.day.civil.year <= 9_999 else {
      throw Failure(
        .badData, "the day is after the year 9999", place: zone.name,
        remedy: "Pass an earlier instant.")
    }
    context.report((answer, context.zones.version), as: output) {
      text(answer, zone, tzdata: context.zones.version, context.style)
    }
    return .done
  }

  private struct Answer {
    let day: Day
    let window: DayWindow?
    let at: ParsedInstant?

    /// The end of the window; nil where the date does not exist, or ends in a year of five digits, which RFC 3339 cannot write.
    var end: Instant? { window.flatMap { $0.end <= .latest ? $0.end : nil } }
  }

  private static func text(
    _ answer: Answer, _ zone: Zone, tzdata: String, _ style: TextStyle
  ) -> String {
    var table = TextTable([answer.day.description, zone.name])
    if let at = answer.at {
      table.add(["instant", "\(at.instant)  \(mark(at.fit))"])
      table.add(["epoch seconds", at.epochSecondsText])
    }
    if let window = answer.window {
      table.add(["start", "\(window.start)  \(local(window.start, zone))"])
      table.add(["end", answer.end.map { "\($0)  \(local($0, zone))" } ?? "after the year 9999"])
      table.add(["hours", hours(window)])
    } else {
      table.add(["start", "this date does not exist here"])
    }
    table.add(["tzdata", tzdata])
    return table.text(style)
  }

  private static let output = JSONMembers<(answer: Answer, tzdata: String)> {
    $0.add("day", \.answer.day)
    $0.add("start", \.answer.window?.start)
    $0.add("end", \.answer.end)
    $0.add("hours") { $0.answer.window.map { JSONNumber(text: hours($0)) } }
    $0.add("tzdata", \.tzdata)
    $0.optional("instant", \.answer.at?.instant)
    $0.optional("epochSeconds", \.answer.at?.epochSecondsText)
    $0.optional("fit") { $0.answer.at.map { name($0.fit) } }
  }

  static var outputs: [JSONShape] { [output.shape] }

  private static func name(_ fit: ParsedInstant.Fit) -> String {
    switch fit {
    case .exact: "exact"
    case .gap: "gap"
    case .overlap: "overlap"
    }
  }

  private static func mark(_ fit: ParsedInstant.Fit) -> String {
    switch fit {
    case .exact: ""
    case .gap: "(this local time never happened: read as the later instant)"
    case .overlap: "(this local time happened twice: read as the earlier instant)"
    }
  }

  private static func local(_ instant: Instant, _ zone: Zone) -> String {
    let offset = zone.offsetSeconds(at: instant)
    return InstantFormat.text(of: instant, fraction: .asNeeded, offsetSeconds: offset)
  }

  /// Returns the length of a window in hours, such as `24` or `23.5`.
  private static func hours(_ window: DayWindow) -> String {
    var json = JSONWriter()
    json.double(Double(window.end.seconds(since: window.start)) / 3600, decimals: 4)
    var text = json.text
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
