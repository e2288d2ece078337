import Configuration
import Failures
import LedgerStore
import Operations

/// Runs the service.
struct ServeCommand: Command {
  static let spec = CommandSpec(
    "serve", "run the service: poll, judge, grant, deliver events, run the jobs", shards: .all,
    details: """
      SIGTERM finishes the current batch and exits 0; SIGHUP reads everything but
      rewards.json again.
      """,
    options: [
      .init("dry-run", help: "poll and judge, but append and send nothing")
    ],
    examples: [
      .init("rewards serve", "with ./rewards.json"),
      .init(
        "rewards serve --config /etc/rewards/rewards.json --log-level info", "as a system service"),
      .init("rewards serve --dry-run", "see what it would grant"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    guard context.options.present == nil else {
      throw Failure(
        .usage, "a service cannot use --now", remedy: "Leave it out.")
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
        "another process became the writer of this ledger, or the database lost what it had confirmed",
        place: ledger.runtime.directory.path,
        remedy:
          "Restart to stand by, or to continue from what is there; after a failover compare it with a head noted earlier: rewards ledger verify --head."
      )
    }
  }
}
