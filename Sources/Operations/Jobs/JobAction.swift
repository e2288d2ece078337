public import Scheduling

/// What a job's command line asks for.
public enum JobAction: Sendable, Equatable {
  /// Look, judge, grant, and close every day that has ended; and prove that doing so again would append nothing.
  case reconcile(proves: Bool)
  /// Prove that every grant is right; or, of those that were proved before, only what concerns them since.
  case audit(sinceLast: Bool)
  /// Work out, from the recorded gaps, whom an outage hid.
  case propose
  /// Any other command of ours.
  case command([String])
  /// Another program, by its path, with its arguments.
  case program([String])

  /// The action of a job; throws when its command line is none that can be run without a person.
  public init(of job: Job, _ commands: JobCommands?) throws(RuntimeError) {
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
      if let objection = commands.map({ $0.objection(job.command) }) ?? "it is not known here" {
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

/// Runs command lines of ours for jobs: whoever knows the commands brings it.
public struct JobCommands: Sendable {
  /// What came of a command line.
  public struct Outcome: Sendable {
    /// 0 done; 1 done, and something needs a look; others as in sysexits.
    public let exitCode: Int32
    /// What it printed.
    public let output: [UInt8]
    /// What it complained of.
    public let errors: [UInt8]

    /// An outcome.
    public init(exitCode: Int32, output: [UInt8], errors: [UInt8]) {
      self.exitCode = exitCode
      self.output = output
      self.errors = errors
    }
  }

  /// A command line with its options in the order of their names: what means the same reads the same.
  public let normalized: @Sendable ([String]) -> [String]
  /// Why a command line cannot be run by a job; nil when it can.
  public let objection: @Sendable ([String]) -> String?
  /// Runs one at the data folder of a runtime.
  public let run: @Sendable ([String], Runtime) async -> Outcome

  /// Commands.
  public init(
    normalized: @escaping @Sendable ([String]) -> [String],
    objection: @escaping @Sendable ([String]) -> String?,
    run: @escaping @Sendable ([String], Runtime) async -> Outcome
  ) {
    self.normalized = normalized
    self.objection = objection
    self.run = run
  }
}
