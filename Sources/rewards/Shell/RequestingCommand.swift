import CivilTime
import Configuration
import Failures
import LedgerStore
import Operations
import Scheduling

/// A command that changes the ledger. It turns its arguments into a request, has it carried out in this process or in the service that
/// holds the ledger, and shows the report.
protocol RequestingCommand: Command {
  associatedtype Wanted: Request
  /// Returns what a command line requests. Leaves every look-up to the process that holds the ledger.
  static func request(_ arguments: ParsedArguments, in context: CommandContext) throws -> Wanted
  /// Prints the report and returns its exit code.
  static func show(_ report: Wanted.Report, of request: Wanted, in context: CommandContext)
    -> ExitCode
  /// Does what is possible while another process holds the data folder and takes no requests, or has not reported the outcome of this one.
  /// Throws `failure` when nothing is.
  static func handOver(
    _ request: Wanted, in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode
}

extension RequestingCommand {
  /// The name of its requests between processes.
  static var requestName: String { Wanted.name }
  /// Whether a service carries them out for other machines.
  static var isForOthers: Bool { Wanted.isForOthers }

  static func handOver(
    _ request: Wanted, in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode {
    throw failure
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    try await carryOut(request(arguments, in: context), in: context)
  }

  /// Carries out a request, here or where the ledger is held, and shows the report.
  static func carryOut(_ request: Wanted, in context: CommandContext) async throws -> ExitCode {
    if let hosted = context.environment.hosted {
      try context.requireMachineClock()
      try await hosted.checkClock(isConfirmed: !Wanted.needsRightClock)
      return try await perform(request, at: hosted, in: context)
    }
    let configuration = try context.configuration()
    let directory = configuration.directory
    if !directory.isWritable {
      return try await send(
        request, in: context, configuration,
        because: Failure(
          .permission, "this account may not write the ledger, and no service answers that could",
          place: directory.path,
          remedy:
            "Start the service, or use its account. If it runs: \"control\": {\"group\": NAME} lets the accounts of a group command it."
        ))
    }
    // A folder's lock shows at once that a service holds it; a lease, only once its holder has been seen to renew it.
    if directory.isInDatabase, let socket = directory.trustedControlSocket,
      await ControlClient.isAnswered(at: socket)
    {
      return try await send(
        request, in: context, configuration,
        because: Failure(
          .tryAgain, "the service that held the ledger has just ended", place: directory.path,
          remedy: "Try again."))
    }
    if context.options.present == nil, Wanted.isForOthers,
      let elsewhere = DatabaseForwarding(context, configuration), await elsewhere.isServed()
    {
      do {
        if let code = try await elsewhere.send(RequestParcel(request, in: context)) { return code }
      } catch let failure as Failure {
        return try await handOver(request, in: context, configuration, because: failure)
      }
    }
    let settled = try await context.inTimeOfLedger(configuration)
    let runtime: Runtime
    do {
      runtime = try await Runtime.open(
        configuration, settled.runtimeEnvironment("rewards \(spec.name)"))
    } catch let error as LedgerError where error.kind == .locked {
      return try await send(request, in: context, configuration, because: error.failure)
    }
    do {
      try await runtime.checkClock(
        isConfirmed: !Wanted.needsRightClock || settled.options.present != nil)
      try await runtime.recordRules()
      let code = try await perform(request, at: runtime, in: settled)
      await runtime.close()
      return code
    } catch {
      await runtime.close()
      throw error
    }
  }

  /// Carries out another process's request on the ledger that this one holds, and shows the report.
  static func answer(_ parcel: RequestParcel, in context: CommandContext) async throws -> ExitCode {
    try await carryOut(parcel.opened(as: Wanted.self), in: context)
  }

  private static func perform(
    _ request: Wanted, at runtime: Runtime, in context: CommandContext
  ) async throws -> ExitCode {
    let bar = context.progress("polling", total: 0)
    let report = try await request.perform(
      at: Place(runtime, account: context.environment.account) { done, total in
        bar.update(done: done, of: total)
      })
    bar.finish()
    return show(report, of: request, in: context)
  }

  /// Sends a request to the service that holds the ledger; if none answers, hands it over because of `failure`.
  static func send(
    _ request: Wanted, in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode {
    var failure = failure
    do throws(Failure) {
      let parcel = RequestParcel(request, in: context)
      if let code = try await Forwarding.send(parcel, in: context, to: configuration) {
        return code
      }
    } catch {
      failure = error
    }
    return try await handOver(request, in: context, configuration, because: failure)
  }
}
