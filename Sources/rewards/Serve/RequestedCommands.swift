import Configuration
import Control
import Failures
import LedgerDatabase
import Operations
import Scheduling
import Threading

/// Carries out the command lines that other machines leave in the database for the holder of a ledger.
struct RequestedCommands: Sendable {
  /// How often it looks for some, in seconds.
  private static let everySeconds = 0.5
  /// How often it tries to answer, a second apart.
  private static let answerTries = 60

  /// Those that are at work, and those whose answer is lost.
  private let known = Lock<Set<String>>([])
  private let taker = RandomBytes.name(16)
  let database: AttachedDatabase
  let requests: ShardRequests
  let clock: any ServiceClock
  let log: Log
  /// Carries out one command line for an account.
  let run: @Sendable (ControlRequest, _ account: String) async -> ControlAnswer

  /// Looks until it is cancelled; what was taken is finished and answered first.
  func serve() async {
    await withDiscardingTaskGroup { group in
      var isBlind = false
      try? await database.run { [requests] _ in try requests.sweep() }
      while !Task.isCancelled {
        do {
          while !Task.isCancelled,
            let request = try await database.run({ [requests, taker, known] _ in
              try requests.take(as: taker, besides: known.withLock { $0 })
            })
          {
            known.withLock { _ = $0.insert(request.id) }
            clock.start(in: &group) {
              // Without an answer it would be taken for one that was never begun.
              if await answer(request) { known.withLock { _ = $0.remove(request.id) } }
            }
          }
          isBlind = false
        } catch {
          // A database that does not answer is told of by whoever writes to it.
          if !isBlind {
            log.debug("requests cannot be read", ["cause": .text("\(error)")])
          }
          isBlind = true
        }
        try? await clock.sleep(seconds: Self.everySeconds)
      }
    }
  }

  /// Whether a command line is one that changes the ledger, and nothing else: a row of a table must not be able to read or write this
  /// machine's files, to start its programs, or to lead the service elsewhere.
  static func isAdmitted(_ words: [String]) -> Bool {
    guard
      case .command(let command, let arguments)? = try? ArgumentParser(commands: CommandList.all)
        .parse(words)
    else { return false }
    let isForeign = ["config", "data", "now", "plan", "html"].contains(where: arguments.has)
    return command.isForwarded(arguments) && !isForeign
  }

  /// Carries a request out and answers it; false when the answer could not be written.
  private func answer(_ request: ShardRequests.Request) async -> Bool {
    let answer: ControlAnswer
    let command = ControlRequest(json: request.body, peerUser: nil)
    if let command, Self.isAdmitted(command.words) {
      answer = await run(command, request.account.isEmpty ? "unknown" : request.account)
    } else {
      answer = ControlAnswer(
        exitCode: ExitCode.usage.rawValue, output: [],
        errors: Array("rewards: a service takes no such command from another machine\n".utf8))
    }
    let told = answer.json
    for _ in 0..<Self.answerTries {
      do {
        try await database.run { [requests] _ in try requests.put(told, to: request.id) }
        return true
      } catch {
        try? await clock.sleep(seconds: 1)
      }
    }
    log.warning(
      "a command was carried out, and whoever asked was not told",
      ["account": .text(request.account)])
    return false
  }
}
