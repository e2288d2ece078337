import CivilTime
import Described
import Ledger
import LedgerStore
import Operations
import RewardRules
import Sandbox

/// Formats the outcome of a demo.
enum DemoText {
  /// What a machine does of a demo in a second, roughly: user-days polled once an hour.
  private static let userDaysASecond = 60

  /// Returns what a demo of these options will do, and how long that takes.
  static func announcement(of options: DemoWorld.Options) -> String {
    let seconds =
      options.users * options.days * 60 / options.pollMinutes / userDaysASecond
      + options.restarts / 2 + 5
    let time =
      switch seconds {
      case ..<60: "less than a minute"
      case ..<120: "about two minutes"
      default: "about \(seconds / 60) minutes"
      }
    return
      "\(options.days) days of \(options.users) simulated users in \(options.folder); this takes \(time)"
  }

  static func text(
    of outcome: Demo.Outcome, _ world: DemoWorld, program: String, _ style: TextStyle
  ) -> String {
    let findings = outcome.findings
    var text = """

      \(world.options.days) days of \(world.life.users.count) users, seed \(world.options.seed), from \(DemoWorld.firstDay); the API was down from \(world.outage.from) to \(world.outage.to), the service started again \(world.options.restarts) times
        \(outcome.served.requests) requests answered, \(outcome.served.byFault.values.reduce(0, +)) of them with a fault, \(outcome.served.refusedByOutage) refused by the outage
        \(outcome.ledger.grants) grants, \(outcome.ledger.adjustments) adjustments, \(outcome.ledger.unknowns) unknowns, \(outcome.ledger.refused) refusals in \(outcome.verification.records) records; \(outcome.events) events delivered

      checks
      \(line(outcome.verification.isIntact, "the ledger is intact, head \(outcome.verification.head)", style))
      \(line(findings.wrong.isEmpty, "\(findings.wrong.count) wrong grants among \(findings.rightGrants) right ones, compared with the users' true lives over \(findings.userDays) user-days", style))
      \(line(findings.unexplained.isEmpty, "\(findings.explained) missing grants are explained by a recorded gap, \(findings.unexplained.count) are not", style))
      \(line(outcome.secondRun == 0, "judging everybody again would append \(outcome.secondRun) records", style))
      \(line(outcome.closes.wrong.isEmpty, "every date of every zone was closed exactly once: \(outcome.closes.closes) closes in \(outcome.closes.zones) zones", style))
      \(line(outcome.badFires.isEmpty, "every fire of the nightly job left one record: \(outcome.fires.count), \(outcome.fires.count { $0.verdict == .onTime }) of them on time", style))
      \(line(outcome.isDelivered, "every event up to the ledger's head is delivered, to a file and to a webhook", style))
      \(line(outcome.hookFlaws.isEmpty, "the webhook's receiver got what the file has, each user's events in order: \(outcome.hookFlaws.count) flaws", style))

      """
    for finding in (findings.wrong + findings.unexplained + outcome.closes.wrong).prefix(20) {
      text += "    \(finding)\n"
    }
    return text
      + "\nan audit page, to open in a browser: \(Demo.page(in: world.options.folder))\n\n"
      + DemoLesson(outcome, world, program: program).text
  }

  /// The outcome for programs.
  static let output = JSONMembers<(outcome: Demo.Outcome, world: DemoWorld, program: String)> {
    $0.add("passed", \.outcome.isClean)
    $0.add("folder", \.world.options.folder)
    $0.add("page", { Demo.page(in: $0.world.options.folder) }, "of an audit")
    $0.add("users", \.world.life.users.count)
    $0.add("days", \.world.options.days)
    $0.add("seed", \.world.options.seed)
    $0.add("requests", \.outcome.served.requests)
    $0.add("records", \.outcome.verification.records)
    $0.add("grants", \.outcome.ledger.grants)
    $0.add("adjustments", \.outcome.ledger.adjustments)
    $0.add("unknowns", \.outcome.ledger.unknowns)
    $0.add("events", \.outcome.events)
    $0.add("ledgerIntact", \.outcome.verification.isIntact)
    $0.add("userDays", \.outcome.findings.userDays)
    $0.add("rightGrants", \.outcome.findings.rightGrants)
    $0.add("wrongGrants", \.outcome.findings.wrong)
    $0.add("explained", \.outcome.findings.explained)
    $0.add("unexplained", \.outcome.findings.unexplained)
    $0.add("closes", \.outcome.closes.closes)
    $0.add("zones", \.outcome.closes.zones)
    $0.add("wrongCloses", \.outcome.closes.wrong)
    $0.add("fires", \.outcome.fires.count)
    $0.add("badFires", \.outcome.badFires.count)
    $0.add("secondRunAppends", \.outcome.secondRun)
    $0.add("delivered", \.outcome.isDelivered)
    $0.add("webhookFlaws", \.outcome.hookFlaws)
    $0.add(
      "next",
      { DemoLesson($0.outcome, $0.world, program: $0.program).steps.map(\.line) },
      "command lines to try on what it leaves")
  }

  private static func line(_ isGood: Bool, _ what: String, _ style: TextStyle) -> String {
    "  \(isGood ? style.good("passed") : style.bad("FAILED"))  \(what)"
  }
}
