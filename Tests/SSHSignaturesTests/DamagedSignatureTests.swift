import TestSupport
import Testing

@testable import SSHSignatures

/// Whatever happens to a signature on its way: it counts unchanged or not at all.
@Suite(.offThePool) struct DamagedSignatureTests {
  private static let message = Array("a message".utf8)

  @Test(arguments: SSHPublicKey.Kind.allCases)
  func noBitMayChange(kind: SSHPublicKey.Kind) throws {
    let blob = try SignatureParts(TestSigner(kind), of: Self.message).blob
    for bit in 0..<blob.count * 8 {
      var changed = blob
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(judge(changed, of: Self.message) != nil, "bit \(bit)")
    }
  }

  @Test(arguments: SSHPublicKey.Kind.allCases)
  func everyByteIsNeeded(kind: SSHPublicKey.Kind) throws {
    let blob = try SignatureParts(TestSigner(kind), of: Self.message).blob
    for count in 0..<blob.count {
      let reason = judge(Array(blob.prefix(count)), of: Self.message)
      #expect(reason == (count < 6 ? .magic : .truncated), "\(count) bytes")
    }
  }

  @Test(arguments: Seeds.some(8, of: 1..<2_000))
  func randomChangesNeverCount(seed: Int) throws {
    var random = SeededGenerator(seed)
    let signer = try TestSigner(.allCases[seed % 2], seed: UInt8(seed % 251))
    let message = random.bytes(upTo: 200)
    let parts = try SignatureParts(signer, of: message)
    #expect(judge(parts.blob, of: message) == nil)
    for _ in 0..<250 {
      let changed = random.change(parts.blob)
      #expect(changed == parts.blob || judge(changed, of: message) != nil, "\(changed)")
      // In the text a change of blanks may be without effect; then the bytes are the same.
      if let read = try? SSHSignature(armoured: random.change(Array(parts.text.utf8))),
        (try? read.verify(message, namespace: "rewards")) != nil
      {
        #expect(read.blob == parts.blob)
      }
    }
  }

  @Test(arguments: Seeds.some(8, of: 1..<2_000))
  func randomBytesAreRefused(seed: Int) throws {
    var random = SeededGenerator(seed)
    let line = try TestSigner(.ed25519).line
    for _ in 0..<250 {
      let bytes = random.bytes(upTo: 300)
      #expect(judge(bytes, of: []) != nil)
      #expect(judge(Array("SSHSIG\0\0\0\u{1}".utf8) + bytes, of: []) != nil)
      #expect(throws: SignatureRefusal.self) {
        try SSHSignature(armoured: Array(SignatureParts.armoured(bytes).utf8))
      }
      #expect(AllowedSigners(bytes).signers.isEmpty)
      _ = AllowedSigners(random.change(Array("a,!b* namespaces=\"x\" \(line)\n".utf8)))
    }
  }
}

/// Random numbers that follow from a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Up to `count` bytes.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    (0..<Int.random(in: 0...count, using: &self)).map { _ in .random(in: 0...255, using: &self) }
  }

  /// The bytes with one to four changes: a byte replaced, removed or added, a part repeated.
  mutating func change(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0...3, using: &self) {
      let place = Int.random(in: 0..<max(bytes.count, 1), using: &self)
      switch Int.random(in: 0...3, using: &self) {
      case 0 where !bytes.isEmpty: bytes[place] = .random(in: 0...255, using: &self)
      case 1 where !bytes.isEmpty: bytes.remove(at: place)
      case 2: bytes.insert(.random(in: 0...255, using: &self), at: min(place, bytes.count))
      default: bytes.insert(contentsOf: bytes.dropFirst(place).prefix(4), at: place)
      }
    }
    return bytes
  }
}
