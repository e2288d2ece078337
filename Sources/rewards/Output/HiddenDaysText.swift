import CivilTime
import Operations
import StrictJSON

/// Days on which somebody could not be seen, for people and for programs.
enum HiddenDaysText {
  static func text(of hidden: HiddenDays) -> String {
    if hidden.days.isEmpty { return "nobody was hidden: every closed day is known\n" }
    var table = TextTable(
      ["DAY", "USERS", "FROM", "TO", "CAUSES"], [.left, .right, .left, .left, .left])
    for day in hidden.days {
      let causes = day.causes.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      table.add([
        day.day.description, "\(day.users.count)", day.from.description, day.to.description,
        causes.joined(separator: ", "),
      ])
    }
    return table.text
      + "rewards excuse --from DAY --to DAY --reason TEXT excuses a day, with --user ID for some users only\n"
  }

  static func write(_ hidden: HiddenDays, to json: inout JSONWriter) {
    json.objects("hidden", hidden.days) { json, day in
      json.member("day", day.day.description)
      json.member("users", day.users)
      json.member("from", day.from.description)
      json.member("to", day.to.description)
      json.object("causes") { json in
        for (cause, count) in day.causes.sorted(by: { $0.key < $1.key }) {
          json.member(cause, count)
        }
      }
    }
  }
}
