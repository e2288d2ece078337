import CivilTime
import Engine
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Formats what other rules would have made of history, for people and for programs.
enum SimulationText {
  static func text(
    of report: SimulationReport, _ version: String, _ days: ClosedRange<Day>
  ) -> String {
    let head =
      "rules \(version) on \(days.lowerBound) to \(days.upperBound): "
      + "\(report.userDays) closed days of \(report.users) users\n"
    let running = running(report)
    guard report.userDays > 0 else {
      return head + "no such day is closed: nothing to compare\n" + running
    }
    let units = RewardUnit.allCases.flatMap { [$0.rawValue.uppercased(), "DIFFERENCE"] }
    var table = TextTable(
      ["MISSION", "GRANTS", "WOULD BE"] + units,
      [.left] + Array(repeating: .right, count: 2 + units.count))
    for mission in missions(report) {
      table.add(cells(mission, report.was[mission], report.would[mission]))
    }
    table.add(cells("all", total(report.was), total(report.would)))
    let remark = "sums are of these days and the closed ones after them, which hang on these\n"
    return head + remark + table.text + effects(report) + running
      + changes("would gain most", report.winners) + changes("would lose most", report.losers)
  }

  /// Returns what open days would lose; empty when nothing.
  static func running(_ report: SimulationReport) -> String {
    OpenDayText.text(of: report.openDays).map {
      "once they are loaded, \($0) on days that are not closed, and no waiver covers it\n"
    } ?? ""
  }

  static func write(_ report: SimulationReport, to json: inout JSONWriter) {
    json.member("userDays", report.userDays)
    json.member("users", report.users)
    json.member("changed", report.changed)
    json.objects("missions", missions(report)) { json, mission in
      json.member("mission", mission)
      json.object("was") { write(report.was[mission] ?? .init(), to: &$0) }
      json.object("would") { write(report.would[mission] ?? .init(), to: &$0) }
    }
    json.object("total") { json in
      json.object("was") { write(total(report.was), to: &$0) }
      json.object("would") { write(total(report.would), to: &$0) }
    }
    json.object("heldBack") { json in
      json.member("was", report.heldBack.was)
      json.member("would", report.heldBack.would)
    }
    json.object("levels") { json in
      json.member("higher", report.levels.higher)
      json.member("lower", report.levels.lower)
    }
    json.object("items") { json in
      json.member("gained", report.items.gained)
      json.member("lost", report.items.lost)
    }
    json.object("runningDaysLose") { report.openDays.writeMembers(to: &$0) }
    json.objects("winners", report.winners, write)
    json.objects("losers", report.losers, write)
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

  private static func changes(_ title: String, _ list: [SimulationReport.Change]) -> String {
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
    return "\(title):\n" + table.text
  }

  private static func signed(_ value: Int64) -> String { value > 0 ? "+\(value)" : "\(value)" }

  private static func write(_ sums: UserSimulation.Sums, to json: inout JSONWriter) {
    json.member("grants", sums.grants)
    sums.amounts.writeMembers(to: &json)
  }

  private static func write(_ json: inout JSONWriter, _ change: SimulationReport.Change) {
    json.member("user", change.user)
    change.amounts.writeMembers(to: &json)
    json.member("level", change.level)
    json.member("newLevel", change.newLevel)
  }
}
