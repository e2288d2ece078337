public import Scheduling

/// What a job's command line asks for, of the things that a service can do by itself.
public enum JobAction: Sendable, Equatable {
  /// Look, judge, grant, and close every day that has ended; and prove that doing so again would append nothing.
  case reconcile(proves: Bool)
  /// Prove that every grant is right.
  case audit
  /// Work out, from the recorded gaps, whom an outage hid.
  case propose

  /// The action of a job; throws when its command line is none that this version carries out.
  public init(of job: Job) throws(RuntimeError) {
    switch job.command {
    case ["reconcile"], ["reconcile", "--day", "yesterday"]: self = .reconcile(proves: false)
    case ["reconcile", "--prove"], ["reconcile", "--day", "yesterday", "--prove"]:
      self = .reconcile(proves: true)
    case ["audit"]: self = .audit
    case ["excuse", "--propose"]: self = .propose
    default:
      throw RuntimeError(
        kind: .configuration,
        cause:
          "job \(job.name): \"\(job.command.joined(separator: " "))\" is nothing that this version runs",
        remedy: "write [\"reconcile\", \"--day\", \"yesterday\"] with or without \"--prove\", "
          + "[\"audit\"] or "
          + "[\"excuse\", \"--propose\"], or set \"enabled\" to false")
    }
  }
}
