import Configuration
import Ledger
import LedgerStore
import RewardRules

/// The conditions for a trustworthy audit: the ledger's rules can be in force together, and the draw secret is the one with
/// which the ledger was begun.
struct AuditPreconditions {
  let configuration: Configuration
  let environment: RuntimeEnvironment

  /// Throws ``RuntimeError`` or ``Configuration/SecretError`` when findings would be false. Blocks.
  func check(_ reader: LedgerReader) throws {
    let state = try reader.folded(.ofTypes([.rules]))
    guard state.drawKey != nil else { return }
    try state.requireRules()
    let secret = try configuration.resolveDrawSecret(environment: environment.variables)
    try state.require(DrawSecret(secret.bytes))
  }
}

extension LedgerState {
  /// Throws when the draws could not be repeated, because a ledger keeps the secret with which it was begun.
  func require(_ draws: DrawSecret) throws(RuntimeError) {
    guard let known = drawKey, known != draws.fingerprint else { return }
    throw RuntimeError(
      kind: .configuration,
      cause:
        "the draw secret (fingerprint \(draws.fingerprint)) is not this ledger's (\(known))",
      remedy: "set drawSecret to the secret with which the ledger was created")
  }
}
