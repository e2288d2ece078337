import ChildProcesses
import CivilTime
import Scheduling

/// Runs a program that is not ours for a job. It inherits no secrets: of the environment only what any program needs.
struct JobProgram: Sendable {
  private static let inherited: Set = ["PATH", "HOME", "LANG", "TZ", "TZDIR", "TMPDIR", "USER"]
  private static let outputLimitBytes = 64 << 10
  /// What a shell says of a program that it does not find.
  private static let notFound: Int32 = 127

  private let runtime: Runtime
  private let fire: JobFire

  init(_ runtime: Runtime, _ fire: JobFire) {
    self.runtime = runtime
    self.fire = fire
  }

  /// Runs it to its end and returns how it ended, with the end of what it printed; a program that is cut short gets SIGTERM.
  func run(_ words: [String]) async -> JobCommands.Outcome {
    var variables = runtime.environment.variables.filter { Self.inherited.contains($0.key) }
    variables["JOB_NAME"] = fire.job.name
    variables["JOB_ZONE"] = fire.zone
    variables["JOB_NOMINAL"] = fire.fire.nominalLocal.description
    do {
      let (outcome, output) = try await ChildOutput.run(
        words[0], Array(words.dropFirst()), environment: variables,
        limitBytes: Self.outputLimitBytes)
      switch outcome {
      case .exited(let code):
        return JobCommands.Outcome(exitCode: code, output: output, errors: [])
      case .killed(let signal):
        return JobCommands.Outcome(
          exitCode: 128 + signal, output: output, errors: Array("signal \(signal)".utf8))
      }
    } catch {
      return JobCommands.Outcome(
        exitCode: Self.notFound, output: [], errors: Array("\(error)".utf8))
    }
  }
}
