import Operations
import Scheduling

/// Runs a command line that another process sent, at the data folder that this process serves.
struct HostedCommand {
  private let workplace: Workplace
  private let surroundings: Surroundings

  init(_ workplace: Workplace, _ surroundings: Surroundings) {
    self.workplace = workplace
    self.surroundings = surroundings
  }

  /// The exit code and what the command printed.
  func run(_ request: ControlRequest) async -> ControlAnswer {
    let output = BufferSink()
    let errors = BufferSink()
    let input = request.input
    let hosting = Surroundings(
      environment: surroundings.environment, output: output, errors: errors,
      clock: surroundings.clock, zones: surroundings.zones,
      reloadZones: surroundings.reloadZones, readInput: { _ in input }, hosted: workplace)
    // A command is a task that may look: it owns a unit of tracked work.
    surroundings.clock.beginWork()
    let code = await Program(surroundings: hosting).run(request.words)
    surroundings.clock.endWork()
    return ControlAnswer(exitCode: code.rawValue, output: output.bytes, errors: errors.bytes)
  }
}
