import Digests
import TestSupport
import Testing

@testable import SSHSignatures

@Suite(.offThePool) struct SSHSignatureTests {
  private static let message = Array("50,000 points".utf8)

  /// Why a signature does not count after `change`; nil if it does.
  private static func refusal(
    _ kind: SSHPublicKey.Kind = .ed25519, _ change: (inout SignatureParts) throws -> Void
  ) throws -> SignatureRefusal.Reason? {
    var parts = try SignatureParts(TestSigner(kind), of: message)
    try change(&parts)
    return judge(parts.blob, of: message)
  }

  @Test(arguments: SSHPublicKey.Kind.allCases, ["sha256", "sha512"])
  func aSignatureCountsForItsMessageAndNamespaceOnly(
    kind: SSHPublicKey.Kind, hash: String
  ) throws {
    for namespace in ["rewards", "git"] {
      let parts = try SignatureParts(
        TestSigner(kind), of: Self.message, namespace: namespace, hash: hash)
      let signature = try SSHSignature(armoured: Array(parts.text.utf8))
      #expect(signature.blob == parts.blob)
      #expect(signature.namespace == namespace)
      try signature.verify(Self.message, namespace: namespace)
      for message in [[], Self.message + [0], Array(Self.message.dropLast())] {
        #expect(judge(parts.blob, of: message, namespace: namespace) == .mismatch)
      }
      #expect(judge(parts.blob, of: Self.message, namespace: "") == .namespace)
      #expect(judge(parts.blob, of: Self.message, namespace: "Rewards") == .namespace)
    }
  }

  @Test func theHashIsSigned() throws {
    #expect(try Self.refusal { $0.hash = "sha256" } == .mismatch)
  }

  @Test func fieldsThatAreNotTakenAreNamed() throws {
    #expect(try Self.refusal { _ in } == nil)
    #expect(try Self.refusal { $0.magic = Array("SSHSIg".utf8) } == .magic)
    for version in [0, 2, 1 << 24] {
      #expect(try Self.refusal { $0.version = version } == .version)
    }
    #expect(try Self.refusal { $0.reserved = [0] } == .reserved)
    for hash in ["", "sha1", "SHA512", "sha512\0"] {
      #expect(try Self.refusal { $0.hash = hash } == .hash)
    }
    #expect(try Self.refusal { $0.namespace = "rewards\0" } == .namespace)
    #expect(try Self.refusal { $0.behind = [0] } == .trailingBytes)
  }

  @Test(arguments: [
    "", "ssh-rsa", "rsa-sha2-512", "ssh-dss", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
    "ssh-ed25519-cert-v01@openssh.com", "ecdsa-sha2-nistp256-cert-v01@openssh.com", "SSH-ED25519",
  ])
  func kindsOfKeysThatAreNotTakenAreNamed(kind: String) throws {
    let key = Wire.string(kind) + Wire.string([UInt8](repeating: 7, count: 32))
    #expect(try Self.refusal { $0.key = key } == .keyKind)
    let signature = Wire.string(kind) + Wire.string([UInt8](repeating: 7, count: 64))
    #expect(try Self.refusal { $0.signature = signature } == .signatureKind)
    #expect(
      throws: SignatureRefusal(.keyKind, "\"\(kind)\" keys are not accepted")
    ) { try SSHPublicKey(key) }
  }

  @Test func malformedKeysAreRefused() throws {
    for count in [0, 31, 33, 64] {
      let key = Wire.string("ssh-ed25519") + Wire.string([UInt8](repeating: 1, count: count))
      #expect(try Self.refusal { $0.key = key } == .key)
    }
    let point = Array(try TestSigner(.ecdsaP256).publicKey.suffix(65))
    var beside = Array(point)
    beside[64] ^= 1
    let compressed = [2] + point.dropFirst().prefix(32)
    let hybrid = [6 | point[64] & 1] + point.dropFirst()
    for wrong in [beside, compressed, hybrid, [0], [], point.dropLast(), point + [0]] as [[UInt8]] {
      let key = Wire.string("ecdsa-sha2-nistp256") + Wire.string("nistp256") + Wire.string(wrong)
      #expect(try Self.refusal(.ecdsaP256) { $0.key = key } == .key)
    }
    let curve = Wire.string("ecdsa-sha2-nistp256") + Wire.string("nistp384") + Wire.string(point)
    #expect(try Self.refusal(.ecdsaP256) { $0.key = curve } == .key)
    #expect(try Self.refusal { $0.key += [0] } == .trailingBytes)
    #expect(try Self.refusal { $0.key.removeLast() } == .truncated)
  }

  @Test func anotherKeyOfTheSameKindDidNotSign() throws {
    for kind in SSHPublicKey.Kind.allCases {
      let other = try TestSigner(kind, seed: 2).publicKey
      #expect(try Self.refusal(kind) { $0.key = other } == .mismatch)
    }
    let other = try TestSigner(.ecdsaP256).publicKey
    #expect(try Self.refusal(.ed25519) { $0.key = other } == .signatureKind)
  }

  @Test func numbersHaveTheirShortestForm() throws {
    let one: [UInt8] = [1]
    let long = [1] + [UInt8](repeating: 0, count: 33)
    for (r, s) in [([], one), (one, []), ([0], one), ([0, 1], one), (one, [0x80]), (long, one)] {
      let signature =
        Wire.string("ecdsa-sha2-nistp256") + Wire.string(Wire.string(r) + Wire.string(s))
      #expect(try Self.refusal(.ecdsaP256) { $0.signature = signature } == .signature)
    }
    let small =
      Wire.string("ecdsa-sha2-nistp256") + Wire.string(Wire.string(one) + Wire.string(one))
    #expect(try Self.refusal(.ecdsaP256) { $0.signature = small } == .mismatch)
    for count in [0, 63, 65] {
      let signature = Wire.string("ssh-ed25519") + Wire.string([UInt8](repeating: 1, count: count))
      #expect(try Self.refusal { $0.signature = signature } == .signature)
    }
    #expect(try Self.refusal { $0.signature += [0] } == .trailingBytes)
  }

  @Test func theArmourIsThatOfSSHKeygen() throws {
    let text = try SignatureParts(TestSigner(.ed25519), of: Self.message).text
    func reason(_ text: String) -> SignatureRefusal.Reason? {
      do throws(SignatureRefusal) {
        _ = try SSHSignature(armoured: Array(text.utf8))
        return nil
      } catch {
        return error.reason
      }
    }
    for same in [
      text, text + "more", String(text.dropLast()), text.replacing("AAA", with: "A A\tA\r\n"),
    ] {
      #expect(reason(same) == nil)
    }
    let header = "-----BEGIN SSH SIGNATURE-----\n"
    for none in [
      "", " " + text, "\n" + text, text.replacing("\n", with: "\r\n"), header,
      text.replacing("END", with: "end"), header + "-----END SSH SIGNATURE-----\n",
      String(text.dropLast(20)),
    ] {
      #expect(reason(none) == .armour)
    }
    for wrong in ["*", "=", "A", "é", "\0"] {
      #expect(reason(text.replacing(header, with: header + wrong)) == .base64)
    }
    #expect(reason(header + "\n-----END SSH SIGNATURE-----\n") == .magic)
  }
}
