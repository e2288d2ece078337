package import Scheduling

/// The action of a job's command line.
package enum JobAction: Sendable, Equatable {
  /// Polls, judges, grants and closes every day that has ended, and with `proves` proves that a repetition would append nothing.
  case reconcile(proves: Bool)
  /// Proves that every grant is right, or only what has changed since the last audit.
  case audit(sinceLast: Bool)
  /// Works out from the recorded gaps which users an outage hid.
  case propose
  /// Runs another command of ours.
  case command([String])
  /// Runs another program, given by path and arguments.
  case program([String])

  /// Reads the action of a job; throws when its command line cannot run unattended.
  package init(of job: Job, _ commands: JobCommands?) throws(RuntimeError) {
    if job.isProgram {
      self = .program(job.command)
      return
    }
    switch commands?.normalized(job.command) ?? job.command {
    case ["reconcile"], ["reconcile", "--day", "yesterday"]: self = .reconcile(proves: false)
    case ["reconcile", "--prove"], ["reconcile", "--day", "yesterday", "--prove"]:
      self = .reconcile(proves: true)
    case ["audit"]: self = .audit(sinceLast: false)
    case ["audit", "--since", "last"]: self = .audit(sinceLast: true)
    case ["excuse", "--propose"]: self = .propose
    default:
      if let objection = commands.map({ $0.objection(job.command) }) ?? "it is unknown here" {
        throw RuntimeError(
          kind: .configuration,
          cause:
            "job \(job.name): \"\(job.command.joined(separator: " "))\" cannot be run: \(objection)",
          remedy: "write \"do\": [\"audit\"] or another command that needs no terminal, "
            + "\"run\": [\"/path\", \"argument\"] for another program, or set \"enabled\" to false")
      }
      self = .command(job.command)
    }
  }
}

/// Runs our own command lines for jobs. The code that defines the commands provides it.
package struct JobCommands: Sendable {
  /// Returns a command line with its options sorted by name, so that equivalent lines are equal.
  package let normalized: @Sendable ([String]) -> [String]
  /// Returns why a job cannot run a command line; nil when it can.
  package let objection: @Sendable ([String]) -> String?
  /// Runs the command line of a fire on the data folder of a runtime.
  package let run: @Sendable ([String], JobFire, Runtime) async -> CommandResult

  package init(
    normalized: @escaping @Sendable ([String]) -> [String],
    objection: @escaping @Sendable ([String]) -> String?,
    run: @escaping @Sendable ([String], JobFire, Runtime) async -> CommandResult
  ) {
    self.normalized = normalized
    self.objection = objection
    self.run = run
  }
}
