import Configuration
import Failures
import Foundations
import Ledger
import Operations
import Scheduling

/// Carries out requests from other processes on the data folder that this process serves.
struct HostedRequests {
  private let runtime: Runtime
  private let environment: ProgramEnvironment

  init(_ runtime: Runtime, _ environment: ProgramEnvironment) {
    self.runtime = runtime
    self.environment = environment
  }

  /// Carries out a request from this machine for the account with the number `user`.
  func answer(_ request: [UInt8], fromUser user: UInt32?) async -> CommandResult {
    let isOwn = user.map(CallingAccount.isOwn) ?? false
    return await answer(request, for: await Self.account(of: user), isFromElsewhere: !isOwn)
  }

  /// Carries out a request that another machine has left in the database.
  func answer(_ request: [UInt8], fromElsewhere account: String) async -> CommandResult {
    await answer(request, for: account + HandLimits.claimed, isFromElsewhere: true)
  }

  private func answer(
    _ bytes: [UInt8], for account: String, isFromElsewhere: Bool
  ) async -> CommandResult {
    let (output, errors) = (BufferSink(), BufferSink())
    let hosting = ProgramEnvironment(
      variables: environment.variables, output: output, errors: errors, clock: environment.clock,
      isClockShared: environment.isClockShared, zones: environment.zones, account: account,
      reloadZones: environment.reloadZones, readInput: { _ in [] }, hosted: runtime,
      database: environment.database)
    var format = OutputFormat.text
    let code: ExitCode
    // A request may poll, so it owns a unit of tracked work.
    environment.clock.beginWork()
    do {
      let parcel = try RequestParcel(bytes)
      format = parcel.format
      guard let command = CommandList.requesting.first(where: { $0.requestName == parcel.name })
      else { throw RequestParcel.otherVersion("it does not know \"\(parcel.name)\"") }
      guard !isFromElsewhere || command.isForOthers else {
        throw Failure(
          .permission, "a service does this for its own account only", place: parcel.name,
          remedy: "Run it as \(CallingAccount.own), on the service's machine.")
      }
      let shardID = runtime.configuration.shardID
      if let shard = parcel.shard, shard != shardID?.number ?? 0 {
        throw Failure(
          .tryAgain, "this service has shard \(shardID?.number ?? 0), not \(shard)",
          place: "--shard",
          remedy: "Nothing was done; try again.")
      }
      var context = CommandContext(hosting, CommonOptions(of: parcel), name: parcel.name)
        .with(shardID)
      context.showsShard = parcel.showsShard
      code = try await command.answer(parcel, in: context)
    } catch {
      let failure = Failure(describing: error)
      errors.write(failure.text(in: format))
      code = failure.exitCode
    }
    environment.clock.endWork()
    return CommandResult(exitCode: code.rawValue, output: output.bytes, errors: errors.bytes)
  }

  /// Returns the account at the other end of the socket, whatever the request says.
  private static func account(of user: UInt32?) async -> String {
    guard let user else { return "unknown" }
    let name = try? await BlockingThread(named: "rewards.account").run {
      CallingAccount.name(of: user)
    }
    return name ?? "uid \(user)"
  }
}
