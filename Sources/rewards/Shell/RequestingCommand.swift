import CivilTime
import Configuration
import Failures
import HTTP
import LedgerStore
import Operations
import Scheduling

/// A command that changes the ledger: it makes a request of its arguments, has it carried out in this process or in the service that holds the
/// ledger, and shows the report.
protocol RequestingCommand: Command {
  associatedtype Wanted: Request
  /// What a command line asks for: nothing is looked up that the ledger's process knows better.
  static func request(_ arguments: ParsedArguments, in context: CommandContext) throws -> Wanted
  /// Prints what came of it.
  static func show(_ report: Wanted.Report, of request: Wanted, in context: CommandContext)
    -> ExitCode
  /// Does what can be done while another process holds the data folder and takes no requests, or has not told what came of this
  /// one; throws `failure` when that is nothing.
  static func handOver(
    _ request: Wanted, in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode
}

extension RequestingCommand {
  /// What its requests are called between processes.
  static var requestName: String { Wanted.name }
  /// Whether a service carries them out for other machines.
  static var isForOtherMachines: Bool { Wanted.isForOtherMachines }

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

  /// Carries a request out, here or where the ledger is held, and shows what came of it.
  static func carryOut(_ request: Wanted, in context: CommandContext) async throws -> ExitCode {
    if let hosted = context.environment.hosted {
      try context.requireMachineClock()
      try await hosted.checkClock(isConfirmed: !Wanted.needsRightClock)
      return try await perform(request, at: hosted, in: context)
    }
    let configuration = try context.configuration()
    let directory = configuration.directory
    // A folder's lock tells at once that a service holds it; a lease only when its holder was seen to renew it.
    if directory.isInDatabase, let socket = directory.trustedControlSocket,
      await ControlClient.isAnswered(at: socket)
    {
      return try await send(
        request, in: context, configuration,
        because: Failure(
          .tryAgain, "the service that held the ledger has just ended", place: directory.path,
          remedy: "Try again."))
    }
    if context.options.present == nil, Wanted.isForOtherMachines,
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

  /// Carries a request of another process out at the ledger that this one holds, and shows what came of it.
  static func answer(_ parcel: RequestParcel, in context: CommandContext) async throws -> ExitCode {
    try await carryOut(parcel.opened(as: Wanted.self), in: context)
  }

  private static func perform(
    _ request: Wanted, at runtime: Runtime, in context: CommandContext
  ) async throws -> ExitCode {
    let bar = context.progress("looking", total: 0)
    let report = try await request.perform(
      at: Place(runtime, account: context.environment.account) { done, total in
        bar.update(done: done, of: total)
      })
    bar.finish()
    return show(report, of: request, in: context)
  }

  /// Has the service that holds the ledger carry a request out; without one that answers `failure` stands in the way.
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
