import CivilTime
import Engine
import Ledger
import Operations
import RewardRules
import Sandbox

/// Ten commands to try on the data that a demo leaves: a user whom the outage cost something, before and after the
/// backfill.
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
  init(_ outcome: Demo.Outcome, _ world: DemoWorld, program: String) {
    let folder = world.options.folder
    let user = outcome.helped?.user ?? outcome.balance?.user ?? "u100000"
    let first = DemoWorld.firstDay
    let last = first.adding(days: Int32(world.options.days) - 1)
    let day = outcome.helped?.day ?? outcome.hidden?.days.first?.day ?? last
    let words: [(String, String)] = [
      ("user \(user)", "what a user has, and the last days; look at \(day)"),
      (
        "explain \(user) \(day)",
        "why that day gave less than it should: what was seen in time, what came late, what to do"
      ),
      ("excuse --propose", "whom the outage hid, and whose streaks were at stake"),
      (
        "excuse --outage \(world.outage.from)..\(world.outage.to) --reason outage",
        "declare it: the days that it hid neither add to a streak nor break one"
      ),
      (
        "backfill --from \(first) --to \(last) --plan \(folder)/plan.json",
        "what closed days should have been, by all that is known now: a plan, nothing else"
      ),
      (
        "backfill --apply \(folder)/plan.json",
        "append exactly that; a second time it appends nothing"
      ),
      ("user \(user)", "the same user after the repair"),
      (
        "audit --html \(Demo.page(in: folder))",
        "derive every grant again, and write the page anew"
      ),
      ("reconcile --prove", "the night's work, once more: nothing is left to append"),
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

/// A user whom a backfill would help.
struct HelpedUser: Equatable {
  let user: String
  /// The first day on which it would give something.
  let day: Day

  /// Finds the user whom the plan helps most: whose streak it lengthens, then who gets the most points. Nil when it
  /// helps nobody.
  static func most(by plan: BackfillPlan) -> HelpedUser? {
    let helped = plan.users.compactMap {
      part -> (helped: HelpedUser, days: Int32, points: Int64)? in
      let points = part.totals.amounts.points
      let days = (part.streakAfter ?? 0) - (part.streakBefore ?? 0)
      guard points > 0, days >= 0 else { return nil }
      for case .grant(let grant) in part.records where !grant.isAdjustment {
        return (HelpedUser(user: part.user, day: grant.day), days, points)
      }
      return nil
    }
    return helped.max {
      ($0.days, $0.points, $1.helped.user) < ($1.days, $1.points, $0.helped.user)
    }?
    .helped
  }
}
