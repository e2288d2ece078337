import Control
import Operations
import Scheduling

/// Runs a command line that another process sent, at the data folder that this process serves.
struct HostedCommand {
  private let runtime: Runtime
  private let environment: ProgramEnvironment

  init(_ runtime: Runtime, _ environment: ProgramEnvironment) {
    self.runtime = runtime
    self.environment = environment
  }

  /// The exit code and what the command printed.
  func run(_ request: ControlRequest) async -> ControlAnswer {
    let output = BufferSink()
    let errors = BufferSink()
    let input = request.input
    let hosting = ProgramEnvironment(
      variables: environment.variables, output: output, errors: errors,
      clock: environment.clock, zones: environment.zones,
      reloadZones: environment.reloadZones, readInput: { _ in input }, hosted: runtime)
    // A command is a task that may look: it owns a unit of tracked work.
    environment.clock.beginWork()
    let code = await Program(environment: hosting).run(request.words)
    environment.clock.endWork()
    return ControlAnswer(exitCode: code.rawValue, output: output.bytes, errors: errors.bytes)
  }
}
