internal import Digests

/// A signature as `ssh-keygen -Y sign` makes it: SSHSIG, version 1.
///
/// Do not use signatures as identifiers: ECDSA yields a new one each time, and anybody can derive a second valid one
/// from the first.
package struct SSHSignature: Sendable {
  /// The key that supposedly signed; ``verify(_:namespace:)`` proves it.
  package let key: SSHPublicKey
  /// The namespace of the signature, ssh-keygen's `-n`.
  package let namespace: String
  /// The signature without its armour.
  package let blob: [UInt8]
  private let hash: MessageHash
  /// The innermost signature, in the form that libcrypto verifies.
  private let value: [UInt8]

  private static let magic = Array("SSHSIG".utf8)

  /// How the message was hashed before signing.
  private enum MessageHash: String {
    case sha256
    case sha512

    func digest(of message: [UInt8]) -> [UInt8] {
      switch self {
      case .sha256: SHA256.digest(of: message).bytes
      case .sha512: SHA512.digest(of: message)
      }
    }
  }

  /// Parses the text of a `.sig` file.
  package init(armoured text: [UInt8]) throws(SignatureRefusal) {
    try self.init(blob: Armour.strip(text))
  }

  /// Parses a signature without its armour.
  package init(blob: [UInt8]) throws(SignatureRefusal) {
    var reader = WireReader(blob, of: "the signature")
    guard blob.starts(with: Self.magic) else {
      throw SignatureRefusal(.magic, "the signature does not start with SSHSIG")
    }
    _ = try reader.read(Self.magic.count, "magic")
    let version = try reader.readNumber("version")
    guard version == 1 else {
      throw SignatureRefusal(.version, "the signature has version \(version) instead of 1")
    }
    let key = try reader.readString("public key")
    namespace = try reader.readText("namespace")
    guard try reader.readString("reserved field").isEmpty else {
      throw SignatureRefusal(.reserved, "the reserved field of the signature is not empty")
    }
    let hashName = try reader.readText("hash")
    let signature = try reader.readString("signature")
    try reader.finish()
    self.key = try SSHPublicKey(key)
    guard let hash = MessageHash(rawValue: hashName) else {
      throw SignatureRefusal(
        .hash, "the message was hashed with \(hashName.shown) instead of sha256 or sha512")
    }
    self.hash = hash
    value = try SignatureValue.read(signature, by: self.key.kind)
    self.blob = blob
  }

  /// Checks that ``key`` signed `message` for `namespace`.
  package func verify(_ message: [UInt8], namespace: String) throws(SignatureRefusal) {
    guard self.namespace.utf8.elementsEqual(namespace.utf8) else {
      throw SignatureRefusal(
        .namespace, "signed for \(self.namespace.shown) instead of \(namespace.shown)")
    }
    let fields = [Array(namespace.utf8), [], Array(hash.rawValue.utf8), hash.digest(of: message)]
    let signed = fields.reduce(into: Self.magic) { $0.append(string: $1) }
    guard key.verifies(value, of: signed) else {
      throw SignatureRefusal(
        .mismatch, "the key \(key.fingerprint) did not sign these \(message.count) bytes")
    }
  }
}

extension [UInt8] {
  /// Appends a string of SSH's wire format.
  fileprivate mutating func append(string: [UInt8]) {
    let count = UInt32(string.count)
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: count >> UInt32(shift))) }
    append(contentsOf: string)
  }
}
