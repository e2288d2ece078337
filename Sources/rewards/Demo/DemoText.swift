import CivilTime
import Ledger
import LedgerStore
import Operations
import RewardRules
import Sandbox
import StrictJSON

/// Formats the outcome of a demo.
enum DemoText {
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
    return text + "\n" + DemoLesson(outcome, world.options, program: program).text
  }

  static func write(
    _ outcome: Demo.Outcome, _ world: DemoWorld, program: String, to json: inout JSONWriter
  ) {
    let findings = outcome.findings
    json.member("passed", outcome.isClean)
    json.member("folder", world.options.folder)
    json.member("users", world.life.users.count)
    json.member("days", world.options.days)
    json.member("seed", world.options.seed)
    json.member("requests", outcome.served.requests)
    json.member("records", outcome.verification.records)
    json.member("grants", outcome.ledger.grants)
    json.member("adjustments", outcome.ledger.adjustments)
    json.member("unknowns", outcome.ledger.unknowns)
    json.member("events", outcome.events)
    json.member("ledgerIntact", outcome.verification.isIntact)
    json.member("userDays", findings.userDays)
    json.member("rightGrants", findings.rightGrants)
    json.member("wrongGrants", findings.wrong)
    json.member("explained", findings.explained)
    json.member("unexplained", findings.unexplained)
    json.member("closes", outcome.closes.closes)
    json.member("zones", outcome.closes.zones)
    json.member("wrongCloses", outcome.closes.wrong)
    json.member("fires", outcome.fires.count)
    json.member("badFires", outcome.badFires.count)
    json.member("secondRunAppends", outcome.secondRun)
    json.member("delivered", outcome.isDelivered)
    json.member("webhookFlaws", outcome.hookFlaws)
    json.member("next", DemoLesson(outcome, world.options, program: program).steps.map(\.line))
  }

  private static func line(_ isGood: Bool, _ what: String, _ style: TextStyle) -> String {
    "  \(isGood ? style.good("passed") : style.bad("FAILED"))  \(what)"
  }
}
