import CivilTime
import Described
import Digests
import Foundations
import Ledger
import LedgerStore
import Scheduling

/// The answers of a running service to HTTP requests.
extension Service {
  /// Returns the user's balance and streak as one JSON object, as `balance` prints it; nil when the ledger knows no such user, or has forgotten them.
  package func balance(of user: String) async -> [UInt8]? {
    guard
      let balance = await runtime.writer.read({ state in
        state.ledger.account(of: user)?.forgottenAt == nil ? state.ledger.balance(of: user) : nil
      })
    else {
      return nil
    }
    return Array((Balance.membersWithUser.text(of: balance) + "\n").utf8)
  }

  /// Puts activity lines into the inbox of a source, or with nil of the hand, and has the service read them at once; returns the
  /// file's name once it is on disk. Throws ``Foundations/FileError``.
  package func receiveActivity(_ lines: [UInt8], from source: String?) async throws -> String {
    let id = SHA256.digest(of: runtime.environment.randomBytes(16)).description.prefix(16)
    let name = "http-\(runtime.clock.now().seconds)-\(id).jsonl"
    let inbox = runtime.inboxes.first { $0.source.name == source } ?? runtime.inbox
    try await inbox.handOver(lines, as: name)
    plan.withLock { $0.readInboxSoon() }
    signals.wake()
    return name
  }
}
