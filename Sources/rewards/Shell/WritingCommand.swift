import CivilTime
import Configuration
import Control
import Failures
import LedgerStore
import Operations
import Scheduling

/// A command that changes the ledger: in this process, or, while a service holds the ledger, in the service's.
protocol WritingCommand: Command {
  /// Does the work at an opened data folder.
  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode
  /// Whether the command must not run while the clock cannot be right.
  static var needsRightClock: Bool { get }
  /// The file that the command reads, `-` for standard input; nil when it reads none.
  static func inputName(_ arguments: ParsedArguments) -> String?
  /// Does what can be done while another process holds the data folder and takes no commands, or has not told what came of this
  /// one; throws `failure` when that is nothing.
  static func runElsewhere(
    _ input: [UInt8], in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode
}

extension WritingCommand {
  static var needsRightClock: Bool { true }

  static func isForwarded(_ arguments: ParsedArguments) -> Bool { true }

  static func inputName(_ arguments: ParsedArguments) -> String? { nil }

  static func runElsewhere(
    _ input: [UInt8], in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode {
    throw failure
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    if let hosted = context.environment.hosted {
      try context.requireMachineClock()
      try await hosted.checkClock(isConfirmed: !needsRightClock)
      return try await run(arguments, in: context, at: hosted)
    }
    let configuration = try context.configuration()
    let directory = configuration.directory
    // A folder's lock tells at once that a service holds it; a lease only when its holder was seen to renew it.
    if directory.isInDatabase, let socket = directory.trustedControlSocket,
      await ControlClient.isAnswered(at: socket)
    {
      return try await forward(
        arguments, in: context, configuration,
        because: Failure(
          .tryAgain, "the service that held the ledger has just ended", place: directory.path,
          remedy: "Try again."))
    }
    if context.options.present == nil, isForwarded(arguments),
      let elsewhere = RequestedForwarding(context, configuration), await elsewhere.isServed()
    {
      let input = try input(arguments, in: context)
      do {
        if let code = try await elsewhere.send(input) { return code }
      } catch let failure as Failure {
        return try await runElsewhere(input, in: context, configuration, because: failure)
      }
    }
    let settled = try await context.inTimeOfLedger(configuration)
    let runtime: Runtime
    do {
      runtime = try await Runtime.open(
        configuration, settled.runtimeEnvironment("rewards \(spec.name)"))
    } catch let error as LedgerError where error.kind == .locked {
      return try await forward(
        arguments, in: context, configuration, because: error.failure)
    }
    do {
      try await runtime.checkClock(
        isConfirmed: !needsRightClock || settled.options.present != nil)
      try await runtime.putRulesIntoUse()
      let code = try await run(arguments, in: settled, at: runtime)
      await runtime.close()
      return code
    } catch {
      await runtime.close()
      throw error
    }
  }

  /// What the command reads from its file.
  private static func input(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> [UInt8] {
    try inputName(arguments).map { try context.input($0) } ?? []
  }

  /// Has the service that holds the ledger carry the command out; without one that answers `failure` stands in the way.
  private static func forward(
    _ arguments: ParsedArguments, in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode {
    let input = try input(arguments, in: context)
    var failure = failure
    do throws(Failure) {
      if let code = try await Forwarding.send(context, input: input, to: configuration) {
        return code
      }
    } catch {
      failure = error
    }
    return try await runElsewhere(input, in: context, configuration, because: failure)
  }
}
