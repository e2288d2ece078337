import Configuration
import Failures
import LedgerStore
import Operations

/// Runs the service.
struct ServeCommand: Command {
  static let spec = CommandSpec(
    "serve", "the service: polls, judges, grants, delivers, runs the jobs", shards: .all,
    details: """
      SIGTERM finishes the batch in hand and exits 0; SIGHUP reads all but rewards.json again.
      """,
    options: [
      .init("dry-run", help: "look and judge, but append and send nothing")
    ],
    examples: [
      .init("rewards serve", "run with ./rewards.json"),
      .init(
        "rewards serve --config /etc/rewards/rewards.json --log-level info",
        "run as a system service"),
      .init("rewards serve --dry-run", "see what it would grant"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    guard context.options.present == nil else {
      throw Failure(
        .usage, "--now has no meaning for a service", remedy: "It is for commands that run once.")
    }
    let writer = context.makeLogWriter()
    do {
      let code = try await serve(arguments, in: context.logging(to: writer.log))
      await writer.finish()
      return code
    } catch {
      await writer.finish()
      throw error
    }
  }

  private static func serve(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let isDry = arguments.has("dry-run")
    let signals = ServiceSwitch()
    // The traps are set first and released last: signals that arrive while the ledger is opened or closed wait their turn.
    let traps = try SignalTraps(stop: { signals.stop() }, reload: { signals.reload() })
    defer { traps.release() }
    guard context.shards > 1 else {
      try await serve(configuration, in: context, until: signals, isDry: isDry)
      return .done
    }
    if isDry {
      throw Failure(
        .usage, "a dry run works on one shard, and the database has \(context.shards)",
        place: "--dry-run", remedy: "Name one: --shard N.")
    }
    let worker = try ShardWorker(context, configuration)
    let admin = try await AdminAddress.open(
      configuration, context.runtimeEnvironment("rewards serve"), answers: worker.answers)
    await worker.run(until: signals)
    await admin.stop()
    return .done
  }

  /// Serves one ledger.
  private static func serve(
    _ configuration: Configuration, in context: CommandContext, until signals: ServiceSwitch,
    isDry: Bool
  ) async throws {
    let ledger = try await ServedLedger.open(
      configuration, in: context, until: signals, isDry: isDry)
    let isReplaced: Bool
    do {
      // Open this before the control socket, so that a process that finds the socket finds the admin address too.
      let admin =
        isDry
        ? nil
        : try await AdminAddress.open(
          configuration, ledger.runtime.environment, answers: .init(of: ledger.service))
      do {
        isReplaced = try await ledger.run(isDry: isDry)
      } catch {
        await admin?.stop()
        throw error
      }
      await admin?.stop()
    } catch {
      await ledger.close()
      throw error
    }
    await ledger.close()
    if isReplaced {
      throw Failure(
        .tryAgain,
        "another process has become the writer of this ledger, or its database went back behind what it had confirmed",
        place: ledger.runtime.directory.path,
        remedy:
          "Start again to stand by, or to go on from what is there; after a failover hold it against a head that was noted before: rewards ledger verify --head."
      )
    }
  }
}
