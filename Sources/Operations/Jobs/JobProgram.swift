import CivilTime
import Foundations
import Scheduling

/// Runs another program for a job. It inherits no secrets, only the environment variables that any program needs.
struct JobProgram: Sendable {
  private static let inherited: Set = ["PATH", "HOME", "LANG", "TZ", "TZDIR", "TMPDIR", "USER"]
  private static let outputLimitBytes = 64 << 10
  /// The shell's exit code for a program that is not found.
  private static let notFound: Int32 = 127

  private let runtime: Runtime
  private let fire: JobFire

  init(_ runtime: Runtime, _ fire: JobFire) {
    self.runtime = runtime
    self.fire = fire
  }

  /// Runs the program to its end; returns how it ended and the end of its output. On cancellation the program gets SIGTERM.
  func run(_ words: [String]) async -> CommandResult {
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
        return CommandResult(exitCode: code, output: output, errors: [])
      case .killed(let signal):
        return CommandResult(
          exitCode: 128 + signal, output: output, errors: Array("signal \(signal)".utf8))
      }
    } catch {
      return CommandResult(
        exitCode: Self.notFound, output: [], errors: Array("\(error)".utf8))
    }
  }
}
