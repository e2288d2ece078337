import CivilTime
import Configuration
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling

/// The options that name a range of days or instants.
enum RangeOptions {
  /// Returns the options of a range of days, both ends included.
  static func days(first: String, last: String) -> [CommandOption] {
    [.init("from", "DAY", help: first), .init("to", "DAY", help: last)] + spans
  }

  /// Returns the options of a range of instants, without its end.
  static func instants(from: String, to: String) -> [CommandOption] {
    [.init("from", "INSTANT", help: from), .init("to", "INSTANT", help: to)] + spans
  }

  /// The options that stand for both ends at once.
  static let spans: [CommandOption] = [
    .init("month", "MONTH", help: "all days of a month, such as 2026-10"),
    .init("last-week", help: "Monday to Sunday of last week"),
  ]
}

/// Replaces the days that a command line names relative to the present by dates, once, before anything else is done with it.
///
/// `today`, `yesterday` and `last-week` are days of the users whom the command is about, of the zones that it names, or else of the
/// configured default zone. In a job they go by the time at which it was due, in the zone for which it runs.
struct RelativeDays {
  private static let lastWeek = "last-week"

  private let spec: CommandSpec
  private let context: CommandContext

  /// Creates the replacement for a command's lines.
  init(of spec: CommandSpec, in context: CommandContext) {
    self.spec = spec
    self.context = context
  }

  /// The zone whose days count, and its running day.
  private struct Present {
    let zone: Zone
    let today: Day
  }

  /// Returns the same command line with dates, or unchanged when it names none otherwise. Throws ``Failure`` for options that exclude each
  /// other, and when the zone cannot be determined.
  func resolved(_ given: ParsedArguments) async throws -> ParsedArguments {
    var arguments = given
    addPresets(&arguments)
    let month = try month(arguments)
    try requireOneRange(arguments)
    let wantsUsual = spec.usualDays != nil && month == nil && !arguments.has(Self.lastWeek)
    let lacksEnd = wantsUsual && (!arguments.has("from") || !arguments.has("to"))
    guard month != nil || arguments.has(Self.lastWeek) || lacksEnd || namesDays(arguments)
    else { return arguments }
    let present = try await present(for: arguments)
    if let month { setRange(month, in: &arguments) }
    if arguments.has(Self.lastWeek) {
      setRange(Self.lastWeek(before: present.today), in: &arguments)
    }
    arguments.set("month", to: nil)
    arguments.set(Self.lastWeek, to: nil)
    resolveWords(&arguments, present)
    if lacksEnd, let count = spec.usualDays {
      let last = arguments.value("to").flatMap { Day($0) } ?? present.today
      if !arguments.has("from") {
        arguments.set("from", to: last.adding(days: 1 - count).description)
      }
      arguments.set("to", to: arguments.value("to") ?? last.description)
    }
    return arguments
  }

  /// Whether an option or argument holds a word for a day, or a day where an instant is expected.
  private func namesDays(_ arguments: ParsedArguments) -> Bool {
    options("DAY").contains { isWord(arguments.value($0)) }
      || dayArguments(arguments).contains { isWord(arguments.argument($0)) }
      || instantOptions.contains { name in
        arguments.value(name).map { isWord($0) || Day($0) != nil } ?? false
      }
  }

  private func isWord(_ text: String?) -> Bool {
    ["today", "yesterday", Self.lastWeek].contains(text)
  }

  private func options(_ valueName: String) -> [String] {
    spec.options.filter { $0.valueName == valueName }.map(\.name)
  }

  /// The options that name an end of a range of instants.
  private var instantOptions: [String] {
    spec.options.contains { $0.name == "month" }
      ? options("INSTANT").filter { ["from", "to", "since", "until"].contains($0) } : []
  }

  private func dayArguments(_ arguments: ParsedArguments) -> [Int] {
    spec.arguments.indices.filter {
      spec.arguments[$0].name == "DAY" && $0 < arguments.arguments.count
    }
  }

  private func addPresets(_ arguments: inout ParsedArguments) {
    while arguments.arguments.count < spec.arguments.count,
      let preset = spec.arguments[arguments.arguments.count].preset
    {
      arguments.arguments.append(preset)
    }
  }

  private func requireOneRange(_ arguments: ParsedArguments) throws(Failure) {
    guard let whole = ["month", Self.lastWeek].first(where: arguments.has) else { return }
    let others = ["month", Self.lastWeek, "from", "to", "days"].filter { $0 != whole }
    if let other = others.first(where: arguments.has) {
      throw Failure(
        .usage, "--\(whole) names all the days: it excludes --\(other)", remedy: "Leave one out.")
    }
  }

  private func month(_ arguments: ParsedArguments) throws(Failure) -> ClosedRange<Day>? {
    guard let text = arguments.value("month") else { return nil }
    guard text.utf8.count == 7, let first = Day("\(text)-01") else {
      throw Failure(
        .badData, "\"\(text)\" is not a month; write it like 2026-10", place: "--month")
    }
    let (year, month, _) = first.civil
    return first...first.adding(days: Int32(Day.days(inMonth: month, of: year)) - 1)
  }

  private static func lastWeek(before today: Day) -> ClosedRange<Day> {
    let monday = today.adding(days: -Int32((today.weekday + 6) % 7) - 7)
    return monday...monday.adding(days: 6)
  }

  private func setRange(_ days: ClosedRange<Day>, in arguments: inout ParsedArguments) {
    arguments.set("from", to: days.lowerBound.description)
    arguments.set("to", to: days.upperBound.description)
  }

  /// Replaces words by dates, and days by instants where those are expected.
  private func resolveWords(_ arguments: inout ParsedArguments, _ present: Present) {
    for name in options("DAY") {
      guard let text = arguments.value(name) else { continue }
      let end = ["from", "to"].contains(name) ? name : nil
      arguments.set(name, to: day(text, end: end, present)?.description ?? text)
    }
    for index in dayArguments(arguments) {
      let text = arguments.arguments[index]
      arguments.arguments[index] = day(text, end: nil, present)?.description ?? text
    }
    for name in instantOptions {
      guard let text = arguments.value(name) else { continue }
      let isEnd = ["to", "until"].contains(name)
      guard let day = day(text, end: isEnd ? "to" : "from", present),
        let instant = Self.instant(of: day, isEnd: isEnd, in: present.zone)
      else { continue }
      arguments.set(name, to: instant.description)
    }
  }

  /// Returns the day that a text names, as an end of a range or, with nil, by itself; nil when it names none.
  private func day(_ text: String, end: String?, _ present: Present) -> Day? {
    switch text {
    case "today": present.today
    case "yesterday": present.today.adding(days: -1)
    case Self.lastWeek:
      end.map {
        let week = Self.lastWeek(before: present.today)
        return $0 == "from" ? week.lowerBound : week.upperBound
      }
    default: Day(text)
    }
  }

  /// Returns when a day begins, or the next one does. A date that the zone skipped begins and ends with the next.
  private static func instant(of day: Day, isEnd: Bool, in zone: Zone) -> Instant? {
    guard let window = zone.window(of: day) else {
      return zone.window(of: day.adding(days: 1))?.start
    }
    return isEnd ? window.end : window.start
  }

  /// Returns the present in the zones that the command line names: those of its users, its own, or else the configured
  /// default. In a job it is that of the fire, whenever it runs. Throws ``Failure`` where the zones differ in what the
  /// words mean.
  private func present(for arguments: ParsedArguments) async throws -> Present {
    let (names, now) = try await place(of: arguments)
    let instant = context.environment.fire?.fire.instant ?? now
    let presents = try Set(names).sorted().map { name in
      let zone = try context.zones.zone(named: name)
      return Present(zone: zone, today: zone.localDateTime(at: instant).day)
    }
    let isAlike = instantOptions.isEmpty && Set(presents.map(\.today)).count == 1
    let namesPresent = arguments.has(Self.lastWeek) || namesDays(arguments)
    guard presents.count == 1 || isAlike || !namesPresent && instantOptions.isEmpty else {
      let names = presents.map(\.zone.name).joined(separator: ", ")
      throw Failure(
        .usage, "days are not the same in \(names)",
        remedy: "Write dates or instants, or name one zone at a time.")
    }
    return presents.max { $0.today < $1.today } ?? presents[0]
  }

  /// Returns the zones that the command line names, and the present of its ledger.
  private func place(of arguments: ParsedArguments) async throws -> (zones: [String], now: Instant)
  {
    if let index = spec.arguments.firstIndex(where: { $0.name == "ZONE" }) {
      return ([arguments.arguments[index]], context.present)
    }
    let configuration = try context.configuration()
    let zones = arguments.values("zone")
    let user = spec.arguments.firstIndex { $0.subject == .user }.flatMap { arguments.argument($0) }
    let users = user.map { [$0] } ?? arguments.values("user")
    guard !users.isEmpty else {
      let fallback = context.environment.fire?.zone ?? configuration.defaultTimeZone
      let now = try await context.inTimeOfLedger(configuration).present
      return (zones.isEmpty ? [fallback] : zones, now)
    }
    let ledger = try await LedgerReading.open(configuration.directory)
    let state =
      users.count == 1
      ? try await StateReading.read(ledger, of: users[0]) : try await StateReading.read(ledger)
    let homes = try users.map { user in
      guard let account = state.account(of: user) else { throw Failure.unknownUser(user) }
      return state.zone(of: account)
    }
    return (zones + homes, try await context.inTime(of: ledger).present)
  }
}
