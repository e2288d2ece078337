import CivilTime
import Described
import Engine
import Operations
import RewardRules
import Scheduling

/// Formats what other rules would have made of history, for people and for programs.
enum SimulationText {
  /// What the sums of a simulation, and of a plan, are about.
  static let remark = "totals cover these days and the later closed days that depend on them\n"

  static func text(
    of report: SimulationReport, _ version: String, _ days: ClosedRange<Day>, _ style: TextStyle
  ) -> String {
    let head =
      "rules \(version) on \(days.lowerBound) to \(days.upperBound): "
      + "\(report.userDays) closed days of \(report.users) users\n"
    let running = running(report)
    guard report.userDays > 0 else {
      return head + "none of these days is closed: nothing to compare\n" + running
    }
    let units = RewardUnit.allCases.flatMap { [$0.rawValue.uppercased(), "DIFFERENCE"] }
    var table = TextTable(
      ["MISSION", "GRANTS", "WOULD BE"] + units,
      [.left] + Array(repeating: .right, count: 2 + units.count))
    for mission in missions(report) {
      table.add(cells(mission, report.was[mission], report.would[mission]))
    }
    table.add(cells("all", total(report.was), total(report.would)))
    return head + remark + table.text(style) + effects(report) + running
      + changes("would gain most", report.winners, style)
      + changes("would lose most", report.losers, style)
  }

  /// Returns what open days would lose; empty when nothing.
  static func running(_ report: SimulationReport) -> String {
    OpenDayText.text(of: report.openDays).map {
      "once they are loaded, \($0) on days that are not closed, and no waiver covers it\n"
    } ?? ""
  }

  /// The report for programs.
  static let output = JSONMembers<SimulationReport> {
    $0.add("userDays", \.userDays)
    $0.add("users", \.users)
    $0.add("changed", \.changed, "users for whom something differs")
    $0.list("missions", { report in missions(report).map { (name: $0, report: report) } }) {
      $0.add("mission", \.name)
      $0.object("was", { $0.report.was[$0.name] ?? .init() }, of: list)
      $0.object("would", { $0.report.would[$0.name] ?? .init() }, of: list)
    }
    $0.object("total", { $0 }) {
      $0.object("was", { total($0.was) }, of: list)
      $0.object("would", { total($0.would) }, of: list)
    }
    $0.object("heldBack", \.heldBack) {
      $0.add("was", \.was)
      $0.add("would", \.would)
    }
    $0.object("levels", \.levels) {
      $0.add("higher", \.higher)
      $0.add("lower", \.lower)
    }
    $0.object("items", \.items) {
      $0.add("gained", \.gained)
      $0.add("lost", \.lost)
    }
    $0.add("runningDaysLose", \.openDays, "the same, once they are loaded")
    $0.list("winners", \.winners, "the most extreme", of: list)
    $0.list("losers", \.losers, of: list)
  }

  private static func missions(_ report: SimulationReport) -> [String] {
    Set(report.was.keys).union(report.would.keys).sorted()
  }

  private static func total(_ missions: [String: UserSimulation.Sums]) -> UserSimulation.Sums {
    missions.values.reduce(into: UserSimulation.Sums()) { $0.add($1) }
  }

  private static func cells(
    _ name: String, _ was: UserSimulation.Sums?, _ would: UserSimulation.Sums?
  ) -> [String] {
    let (was, would) = (was ?? .init(), would ?? .init())
    return [name, "\(was.grants)", "\(would.grants)"]
      + RewardUnit.allCases.flatMap {
        ["\(was.amounts[$0])", signed((would.amounts - was.amounts)[$0])]
      }
  }

  private static func effects(_ report: SimulationReport) -> String {
    var text = "\(report.changed) users would have more or less\n"
    if report.levels != (0, 0) {
      text +=
        "\(report.levels.higher) would be on a higher level, \(report.levels.lower) on a lower one\n"
    }
    if report.items != (0, 0) {
      text += "items: \(report.items.gained) more, \(report.items.lost) less\n"
    }
    if report.heldBack != (0, 0) {
      text +=
        "limits hold back \(report.heldBack.was) grants, and would hold back "
        + "\(report.heldBack.would)\n"
    }
    return text
  }

  private static func changes(
    _ title: String, _ list: [SimulationReport.Change], _ style: TextStyle
  ) -> String {
    if list.isEmpty { return "" }
    let units = RewardUnit.allCases
    var table = TextTable(
      ["USER"] + units.map { $0.rawValue.uppercased() } + ["LEVEL"],
      [.left] + Array(repeating: .right, count: units.count + 1))
    for change in list {
      let level =
        change.level == change.newLevel
        ? "\(change.level)" : "\(change.level) to \(change.newLevel)"
      table.add([change.user] + units.map { signed(change.amounts[$0]) } + [level])
    }
    return "\(title):\n" + table.text(style)
  }

  private static func signed(_ value: Int64) -> String { value > 0 ? "+\(value)" : "\(value)" }

  private static func list(_ sums: inout JSONMembers<UserSimulation.Sums>) {
    sums.add("grants", \.grants)
    sums.include(\.amounts)
  }

  private static func list(_ change: inout JSONMembers<SimulationReport.Change>) {
    change.add("user", \.user)
    change.include(\.amounts)
    change.add("level", \.level)
    change.add("newLevel", \.newLevel)
  }
}
