import AuditPage
import CivilTime
import Configuration
import Engine
import Ledger
import LedgerStore
import NotificationRelay
import Operations
import Sandbox
import Scheduling
import StrictJSON

/// What operators do with commands, at an opened data folder: the service's, or one of their own where no service runs.
struct Operator: Sendable {
  let runtime: Runtime
  let world: World

  private var configuration: Configuration { runtime.configuration }
  private var environment: RuntimeEnvironment { runtime.environment }

  /// Runs a command and returns what an operator would remember of it.
  func run(_ command: Schedule.Command) async throws -> String {
    try await runtime.checkClock(isConfirmed: false)
    try await runtime.recordRules()
    switch command {
    case .reconcile(let confirms): return try await reconcile(confirms: confirms)
    case .backfill(let onlyPlans): return try await backfill(onlyPlans: onlyPlans)
    case .excuse(let fromDay, let days, let user):
      let first = world.firstDay.adding(days: Int32(fromDay))
      let users = user.map { [world.life.users[$0].id] } ?? []
      let lines = try await Excuses(runtime).declare(
        ExcuseRecord(
          from: first, to: first.adding(days: Int32(days - 1)), reason: "an outage",
          actor: "operator"), users: users)
      return "\(lines.count) excuses"
    case .audit(let sinceLast):
      let report = try await Audit(configuration, environment, sinceLast: sinceLast).run()
      // After days of standing still events wait; at the end, which is judged too, none may.
      let isWell = report.checks.allSatisfy { $0.passed || $0.id == Self.deliveries }
      return isWell ? "audit passed" : "audit FAILED: \(Self.text(of: report))"
    case .backup:
      let report = try await LedgerReading.backup(
        runtime.directory, into: "/backup", isFull: false, now: environment.clock.now(),
        command: "rewards ledger backup")
      return "backup \(report)".prefix { $0 != "\n" }.description
    case .verify:
      let report = try await LedgerReading.verify(configuration, heads: [])
      return report.isIntact ? "intact" : "DAMAGED: \(report.damage)"
    case .runJob(let onlyIfDue): return try await runNightly(onlyIfDue: onlyIfDue)
    case .reload, .reverse, .pauseSink: return ""
    }
  }

  /// The check whether every grant is delivered, dead-lettered or pending.
  private static let deliveries = 10

  /// What an audit found, in a few words.
  static func text(of report: AuditReport) -> String {
    report.checks.filter { !$0.passed }.map { check in
      "check \(check.id) \(check.name): \(check.leftOut ?? check.findings.first.map { "\($0)" } ?? "")"
    }.joined(separator: "; ")
  }

  private func reconcile(confirms: Bool) async throws -> String {
    let report = try await Reconciliation(
      runtime,
      ReconcileOrder(
        proves: true, isConfirmed: confirms, actor: confirms ? "operator" : nil)
    ) { _, _ in }.run()
    if let count = report.secondRun, count > 0 {
      return "PROOF failed: a second run would append \(count)"
    }
    return "closed \(report.closed.count)"
  }

  /// Runs the nightly job by hand, beside the service that runs it too.
  private func runNightly(onlyIfDue: Bool) async throws -> String {
    var runs = 0
    for job in try JobFolder.read(configuration, zones: environment.zones)
    where job.name == "nightly" {
      runs += try await SingleRun(runtime, job).run(onlyDue: onlyIfDue).runs.count
    }
    return "ran \(runs) fires"
  }

  /// Plans all days that may be closed by now, and applies that.
  func backfill(onlyPlans: Bool, isForAll: Bool = true) async throws -> String {
    let days =
      world.firstDay.adding(days: -1)...world.firstDay.adding(days: Int32(world.options.days) + 3)
    let plan = try await BackfillPlanner(configuration, environment).plan(
      BackfillOrder(days: days, isForAll: isForAll),
      in: LedgerReading.open(configuration.directory))
    if onlyPlans { return "planned \(plan.users.count)" }
    let receipt = try await BackfillApplication(runtime).apply(plan, by: "operator")
    return "appended \(receipt.planned.appended) and \(receipt.running.appended)"
  }

  /// Takes a grant back, or gives it back again.
  func reverse(_ key: String, undoing: Bool) async throws -> String {
    try await runtime.checkClock(isConfirmed: false)
    try await runtime.recordRules()
    var selection = GrantSelection()
    selection.keys = [key]
    let (plan, _) = try await ReversalPlanner(configuration, environment).plan(
      selection, in: LedgerReading.open(configuration.directory), undoing: undoing,
      protection: .balances, reason: "a mistake", actor: "operator")
    if plan.users.isEmpty { return "nothing to do" }
    let receipt = try await BackfillApplication(runtime).apply(plan, by: "operator")
    return "\(undoing ? "gave back" : "took back") \(key): \(receipt.planned.appended)"
  }

  /// Stops deliveries to the webhook, or lets them go on.
  func setPaused(_ isPaused: Bool) async throws -> String {
    if isPaused {
      try await RelayActs(runtime).pause("notify", reason: "a test", actor: "operator")
    } else {
      try await RelayActs(runtime).resume("notify")
    }
    return isPaused ? "paused" : "resumed"
  }

  /// Sends again what was given up.
  func replayDead() async throws -> String {
    "replayed \(try await RelayActs(runtime).replay(.dead, sink: nil).map(\.count))"
  }
}
