import Configuration
import Foundations
import Operations
import Scheduling

/// A data folder opened for writing, as a service has it, whose draws have a secret of their own.
enum TestRuntime {
  static let variables = ["SECRET": "the draws of a test"]

  /// Opens the data folder of the configuration in `file`, whose `drawSecret` is the variable `SECRET`, and records its rules.
  static func open(_ file: String, _ clock: some ServiceClock, _ zones: SystemZones) async throws
    -> Runtime
  {
    let runtime = try await Runtime.open(
      ConfigurationLoader(environment: variables, zones: zones).load(file: file),
      RuntimeEnvironment(
        clock: clock, machineClock: clock, zones: zones, variables: variables,
        log: Log(level: .error, layout: .logfmt, clock: clock) { _ in },
        randomBytes: { Array(repeating: 7, count: $0) }, command: "rewards test", actor: "tester"))
    try await runtime.recordRules()
    return runtime
  }
}
