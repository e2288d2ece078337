import CivilTime
import Described
import Evidence
import Ledger
import Operations

/// Formats days on which users could not be seen, for people and for programs.
enum HiddenDaysText {
  static func text(of hidden: HiddenDays, _ style: TextStyle) -> String {
    let leftOut =
      hidden.leftOut == 0
      ? "" : "\(hidden.leftOut) user-days with only shorter gaps are left out (--min-gap)\n"
    if hidden.days.isEmpty {
      return hidden.leftOut == 0
        ? hidden.excused == 0
          ? "no closed day is unknown; what an open day lacks shows once it is closed\n"
          : "every unknown day is covered by an outage or a pardon: \(hidden.excused) user-days\n"
        : "no gap is long\n" + leftOut
    }
    var table = TextTable(
      ["DAY", "USERS", "STREAKS", "FROM", "TO", "CAUSES"],
      [.left, .right, .right], last: .prose)
    for day in hidden.days {
      let causes = day.causes.sorted { $0.key < $1.key }.map {
        "\(Gap.reason(for: $0.key)) (\($0.value))"
      }
      table.add([
        day.day.description, "\(day.users.count)", "\(day.streaks.count)", day.from.description,
        day.to.description,
        causes.joined(separator: ", "),
      ])
    }
    return table.text(style) + streaks(hidden) + leftOut
      + hidden.outages.map { outage in
        "\(outage.userDays) user-days have gaps between \(outage.span.from) and \(outage.span.to):\n  \(command(for: outage))\n"
      }.joined()
  }

  /// Returns the command that declares an outage.
  private static func command(for outage: HiddenDays.SuspectedOutage) -> String {
    "rewards excuse --outage \(outage.span.from)..\(outage.span.to) --reason TEXT"
  }

  /// Returns the streaks at stake, the longest of each day.
  private static func streaks(_ hidden: HiddenDays) -> String {
    hidden.days.filter { !$0.streaks.isEmpty }.map { day in
      let named = day.streaks.prefix(namedAtMost).map {
        "\($0.user) \($0.length) days (\($0.what.rawValue))"
      }
      let more = day.streaks.count - namedAtMost
      return "at stake on \(day.day): \(named.joined(separator: ", "))"
        + (more > 0 ? " and \(more) more\n" : "\n")
    }.joined()
  }

  private static let namedAtMost = 10

  /// The report for programs.
  static let output = JSONMembers<HiddenDays> {
    $0.list("hidden", \.days) {
      $0.add("day", \.day)
      $0.add("users", \.users)
      $0.list("streaks", \.streaks) {
        $0.add("user", \.user)
        $0.add("length", \.length)
        $0.add("what", \.what.rawValue)
      }
      $0.add("from", \.from)
      $0.add("to", \.to)
      $0.add("causes", \.causes)
    }
    $0.list("outages", \.outages) {
      $0.add("from", \.span.from)
      $0.add("to", \.span.to)
      $0.add("userDays", \.userDays)
      $0.add("causes", \.causes)
      $0.add("command", command)
    }
    $0.add("leftOut", \.leftOut, "gaps below the threshold")
  }
}
