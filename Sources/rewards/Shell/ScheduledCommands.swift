import CivilTime
import Files
import Operations
import Scheduling

/// Runs the command lines of jobs in this process.
struct ScheduledCommands: Sendable {
  /// What needs a person, never ends, or would call itself.
  private static let excluded: Set = [
    "demo", "serve", "run", "tail", "ledger restore", "ledger import", "init",
  ]

  private let context: CommandContext

  /// The commands as this process would run them: with its configuration and data folder.
  init(_ context: CommandContext) { self.context = context }

  /// For whoever runs jobs.
  var commands: JobCommands {
    JobCommands {
      Self.objection(to: $0)
    } run: { words, runtime in
      await run(words, at: runtime)
    }
  }

  /// Why a job cannot run a command line; nil when it can.
  static func objection(to words: [String]) -> String? {
    do {
      guard
        case .command(let command, let arguments) = try ArgumentParser(commands: CommandList.all)
          .parse(words)
      else { return "it only shows help" }
      let name = command.spec.name
      if excluded.contains(name) { return "rewards \(name) is nothing for a job" }
      let own = ["config", "data", "now"].first { arguments.has($0) }
      if let own { return "--\(own) is the service's own" }
      let reads = (command as? any WritingCommand.Type)?.inputName(arguments)
      return reads == "-" ? "it has no standard input" : nil
    } catch {
      return error.cause
    }
  }

  private func run(_ words: [String], at runtime: Runtime) async -> JobCommands.Outcome {
    let output = BufferSink()
    let errors = BufferSink()
    let environment = context.environment
    var hosting = ProgramEnvironment(
      variables: environment.variables, output: output, errors: errors, clock: runtime.clock,
      zones: environment.zones, account: environment.account,
      reloadZones: environment.reloadZones, zoneNames: environment.zoneNames,
      readInput: { (_) throws(ReadError) in [] }, hosted: runtime)
    hosting.readsFiles = true
    var common: [String] = []
    if let file = context.options.configFile { common += ["--config", file] }
    if let data = context.options.data { common += ["--data", data] }
    let code = await Program(environment: hosting).run(common + words)
    return JobCommands.Outcome(
      exitCode: code.rawValue, output: output.bytes, errors: errors.bytes)
  }
}
