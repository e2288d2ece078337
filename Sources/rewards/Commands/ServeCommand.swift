import Configuration
import Control
import LedgerStore
import Metrics
import Operations
import Scheduling
import Threading

/// Runs the service.
struct ServeCommand: Command {
  static let spec = CommandSpec(
    "serve", "the service: polls, judges, grants, delivers, runs the jobs",
    details: """
      SIGTERM finishes the batch in hand and exits 0; SIGHUP reads users and rules again.
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
      throw CommandFailure(
        .usage, "--now has no meaning for a service", remedy: "It is for commands that run once.")
    }
    let configuration = try context.configuration()
    let isDry = arguments.has("dry-run")
    let signals = ServiceSwitch()
    // First in, last out: what arrives while the ledger is opened or closed waits its turn.
    let traps = try SignalTraps(stop: { signals.stop() }, reload: { signals.reload() })
    defer { traps.release() }
    let runtime = try await Runtime.open(
      configuration, context.runtimeEnvironment("rewards serve"), writes: !isDry)
    do {
      try await serve(runtime, until: signals, in: context, isDry: isDry)
    } catch {
      await runtime.close()
      throw error
    }
    await runtime.close()
    return .done
  }

  private static func serve(
    _ runtime: Runtime, until signals: ServiceSwitch, in context: CommandContext, isDry: Bool
  ) async throws {
    let service = try await Service.start(runtime, signals: signals)
    let commands = HostedCommands()
    // Before the control socket: whoever finds that finds the admin address too.
    let admin = isDry ? nil : try await admin(of: service, runtime)
    // Somebody else may hold the data folder: a dry run takes no commands.
    let control =
      isDry
      ? nil
      : try ControlServer.start(at: runtime.directory.controlSocket) { request in
        let answer = await commands.run {
          await HostedCommand(runtime, context.environment).run(request)
        }
        signals.wake()
        return answer
      }
    runtime.clock.beginWork()
    await service.run()
    runtime.clock.endWork()
    commands.cancelAll()
    await control?.stop()
    await admin?.stop()
    if service.isReplaced {
      throw CommandFailure(
        .tryAgain, "another process has become the writer of this ledger",
        place: runtime.directory.path,
        remedy: "Nothing that was acknowledged is lost. Start again to stand by for it.")
    }
  }

  /// Opens the admin address, beyond loopback for those who bear the token alone.
  private static func admin(
    of service: Service, _ runtime: Runtime
  ) async throws -> AdminServer {
    let (configuration, environment) = (runtime.configuration, runtime.environment)
    let address = configuration.admin
    let token = try await BlockingThread(named: "rewards.admin").run {
      try address.token?.resolve(environment: environment.variables)
    }
    if !address.isLoopback, token == nil {
      environment.log.warning(
        "the admin address can be reached from other machines and admin.token is not configured: only /healthz is answered",
        ["address": .text("\(address.host):\(address.port)")])
    }
    return try AdminServer.start(
      host: address.host, port: address.port,
      guarding: address.isLoopback ? .nobody : .token(token?.bytes), token: token?.bytes,
      answers: answers(of: service))
  }

  private static func answers(of service: Service) -> AdminServer.Answers {
    var answers = AdminServer.Answers { service.readiness.reason }
    answers.metrics = { accepted in
      let format = Exposition.Format(accepting: accepted)
      return (format.contentType, await service.metrics(format))
    }
    answers.user = { await service.balance(of: $0) }
    answers.activity = { lines in
      do {
        return .success(try await service.takeActivity(lines))
      } catch {
        return .failure(AdminRefusal(cause: "the inbox cannot be written: \(error)"))
      }
    }
    return answers
  }
}
