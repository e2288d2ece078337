import CivilTime
import Ledger
import Operations

/// Ten commands to try on the data that a demo leaves, from the discovery of a failing night to its repair.
///
/// The ledger's time is simulated: commands take its last moment as the present, whenever they run.
struct DemoLesson {
  /// A command line, ready to type, and what it shows.
  struct Step: Equatable {
    let line: String
    let shows: String
  }

  let steps: [Step]

  /// Creates the lesson on the data in `folder`; `program` is the name of this program.
  init(_ outcome: Demo.Outcome, _ options: DemoWorld.Options, program: String) {
    let folder = options.folder
    let hidden = outcome.hidden?.days ?? []
    let user = hidden.first.flatMap { $0.streaks.first?.user ?? $0.users.first }
    let anybody = user ?? outcome.balance?.user ?? "u100000"
    let first = DemoWorld.firstDay
    let last = first.adding(days: Int32(options.days) - 1)
    let day = hidden.first?.day ?? last
    let words: [(String, String)] = [
      ("user \(anybody)", "what a user has, and the last days"),
      (
        "reconcile --prove",
        "the night's work, once more: nothing to append; 1 where days wait for a backfill"
      ),
      (
        "explain \(anybody) \(day)",
        "a day of theirs, which the outage hid: what is known, what is not, what to do"
      ),
      ("excuse --propose", "which days the outage hid, whose streaks were at stake"),
      (
        "excuse --from \(day) --to \(hidden.last?.day ?? day) --reason outage",
        "declare it: these days neither add to a streak nor break one"
      ),
      (
        "backfill --from \(first) --to \(last) --plan \(folder)/plan.json",
        "what the past should have been, with late facts and the excuse: a plan, nothing else"
      ),
      (
        "backfill --apply \(folder)/plan.json",
        "append exactly that; a second time it appends nothing"
      ),
      (
        "audit --html \(folder)/audit.html",
        "derive every grant again; look at the page in a browser"
      ),
      ("atrisk --length 7 --csv", "whose long streak is not safe yet today"),
      ("relay status", "what each sink was sent; the plan's events wait for a service"),
    ]
    steps = words.map { words, shows in
      Step(line: "\(program) --config \(folder)/rewards.json \(words)", shows: shows)
    }
  }

  /// The lesson for a terminal.
  var text: String {
    steps.reduce("what to try next, in this order\n") { "\($0)  \($1.line)\n      \($1.shows)\n" }
      + "  reference: rewards help; every command takes --help\n"
  }
}
