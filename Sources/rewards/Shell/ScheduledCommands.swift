import CivilTime
import Failures
import Foundations
import Operations
import Scheduling

/// Runs the command lines of jobs in this process.
struct ScheduledCommands: Sendable {
  /// The commands that a job may run: none that needs a person, never ends or would call itself.
  private static let allowed: Set<String> = {
    let names: Set = [
      "reconcile", "backfill", "reverse", "release", "grant", "excuse", "ingest", "audit",
      "explain", "user", "balance", "statement", "atrisk", "approvals", "simulate", "doctor",
      "users import", "users list", "users remove", "ledger verify", "ledger head",
      "ledger export", "ledger backup", "ledger compact", "store status", "store check",
      "rules check", "rules show", "jobs list", "jobs next", "jobs audit", "jobs pause",
      "jobs resume", "relay status", "relay dead", "relay replay", "relay pause", "relay resume",
      "relay test", "zones day", "zones prove",
    ]
    return names.union(
      CommandList.former.filter { names.contains($0.successor.spec.name) }.map(\.name))
  }()

  private let context: CommandContext

  /// Creates the commands as this process would run them, with its configuration and data folder.
  init(_ context: CommandContext) { self.context = context }

  /// The commands, for the job runner.
  var commands: JobCommands {
    JobCommands {
      Self.normalized($0)
    } objection: {
      Self.objection(to: $0)
    } run: { words, fire, runtime in
      await run(words, of: fire, at: runtime)
    }
  }

  /// Returns a command line with its options sorted by name and each value as its own word; an invalid one stays as it is.
  static func normalized(_ words: [String]) -> [String] {
    guard
      case .command(let command, let parsed) = try? ArgumentParser(commands: CommandList.all)
        .parse(words)
    else { return words }
    let options = (command.spec.options + CommandOption.common).sorted { $0.name < $1.name }
    let given = options.flatMap { option in
      parsed.values(option.name).flatMap {
        option.valueName == nil ? ["--\(option.name)"] : ["--\(option.name)", $0]
      }
    }
    let arguments = parsed.arguments.contains { $0.hasPrefix("-") } ? ["--"] : []
    return command.spec.name.split(separator: " ").map(String.init) + given + arguments
      + parsed.arguments
  }

  /// Returns why a job cannot run a command line; nil when it can.
  static func objection(to words: [String]) -> String? {
    do {
      guard
        case .command(let command, let arguments) = try ArgumentParser(commands: CommandList.all)
          .parse(words)
      else { return "it only shows help" }
      let name = command.spec.name
      if !allowed.contains(name) { return "rewards \(name) is nothing for a job" }
      let own = ["config", "data", "now"].first { arguments.has($0) }
      if let own { return "--\(own) is the service's own" }
      return command.spec.files(in: arguments).contains("-") ? "it has no standard input" : nil
    } catch {
      return error.cause
    }
  }

  private func run(_ words: [String], of fire: JobFire, at runtime: Runtime) async -> CommandResult
  {
    let output = BufferSink()
    let errors = BufferSink()
    let environment = context.environment
    let hosting = ProgramEnvironment(
      variables: environment.variables, output: output, errors: errors, clock: runtime.clock,
      zones: environment.zones, account: environment.account,
      reloadZones: environment.reloadZones, zoneNames: environment.zoneNames,
      readInput: { (_) throws(ReadError) in [] }, hosted: runtime, fire: fire,
      database: context.database)
    var common: [String] = []
    if let file = context.options.configFile { common += ["--config", file] }
    if let data = context.options.data { common += ["--data", data] }
    let code = await Program(environment: hosting).run(common + words)
    return CommandResult(
      exitCode: code.rawValue, output: output.bytes, errors: errors.bytes)
  }
}
