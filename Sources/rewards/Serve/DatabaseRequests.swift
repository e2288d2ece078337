import Foundations
import LedgerDatabase
import Operations
import Scheduling

/// Carries out requests that other machines leave in the database for the holder of a ledger.
struct DatabaseRequests: Sendable {
  /// How often it polls for requests, in seconds.
  private static let everySeconds = 0.5
  /// How many times it tries to write an answer, a second apart.
  private static let answerTries = 60

  /// The requests in progress, and those whose answer is lost.
  private let known = Lock<Set<String>>([])
  private let taker = RandomBytes.name(16)
  let database: AttachedDatabase
  let requests: ShardRequests
  let clock: any ServiceClock
  let log: Log
  /// Carries out one request for an account.
  let run: @Sendable (_ request: [UInt8], _ account: String) async -> CommandResult

  /// Polls for requests until cancelled, then finishes and answers those already taken.
  func serve() async {
    await withDiscardingTaskGroup { group in
      var isBlind = false
      try? await database.run { [requests] _ in try requests.sweep() }
      while !Task.isCancelled {
        do {
          while !Task.isCancelled,
            let request = try await database.run({ [requests, taker, known] _ in
              try requests.claim(as: taker, besides: known.withLock { $0 })
            })
          {
            known.withLock { _ = $0.insert(request.id) }
            clock.start(in: &group) {
              // Forgotten without an answer, it would pass for a request that never began.
              if await answer(request) { known.withLock { _ = $0.remove(request.id) } }
            }
          }
          isBlind = false
        } catch {
          // Writers report a database that does not answer.
          if !isBlind {
            log.debug("requests cannot be read", ["cause": .text("\(error)")])
          }
          isBlind = true
        }
        try? await clock.sleep(seconds: Self.everySeconds)
      }
    }
  }

  /// Carries out a request and answers it; returns false when the answer could not be written.
  private func answer(_ request: ShardRequests.Request) async -> Bool {
    let told = await run(request.body, request.account.isEmpty ? "unknown" : request.account).json
    for _ in 0..<Self.answerTries {
      do {
        try await database.run { [requests] _ in try requests.reply(told, to: request.id) }
        return true
      } catch {
        try? await clock.sleep(seconds: 1)
      }
    }
    log.warning(
      "a request was carried out, and whoever asked was not told",
      ["account": .text(request.account)])
    return false
  }
}
