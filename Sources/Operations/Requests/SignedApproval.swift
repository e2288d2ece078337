import CivilTime
package import Failures
import Ledger
package import SSHSignatures
import Scheduling

extension SignatureRefusal: FailureConvertible {
  /// A signature that does not count is a permission failure.
  package var failure: Failure { Failure(.permission, cause, place: "--signature", remedy: remedy) }
}

extension LedgerState {
  /// The people whose signatures count, as an `allowed_signers` file names them.
  var allowedSigners: AllowedSigners { AllowedSigners(Array((signers ?? "").utf8)) }

  /// The people whose signatures count, each with the fingerprint of the key.
  package var signerNames: [String] { allowedSigners.signers.map(\.words) }

  /// Returns who signed a request that has this id, as an actor is named. `signature` is the content of a `.sig` file.
  func signer(
    of mark: RequestMark, _ id: String, _ signature: String, at instant: Instant
  ) throws(SignatureRefusal) -> String {
    let signer = try allowedSigners.signer(
      of: mark.bytesToSign(id, ledger: signedLedger),
      by: SSHSignature(armoured: Array(signature.utf8)), namespace: AllowedSigners.namespace,
      at: instant)
    return "\(signer.principals[0]) (key \(signer.fingerprint))"
  }
}

extension AllowedSigners {
  /// The namespace of the signatures by which people agree to acts: `ssh-keygen -Y sign -n rewards`.
  fileprivate static let namespace = "rewards"

  /// Returns how many people can sign at an instant: names that differ before the @, with keys of their own.
  func people(at instant: Instant) -> Int {
    let usable = signers.filter { $0.refusal(as: nil, for: Self.namespace, at: instant) == nil }
    let names = Set(usable.map { $0.principals.text.lowercased().prefix { $0 != "@" } })
    return min(names.count, Set(usable.map(\.key.fingerprint)).count)
  }
}
