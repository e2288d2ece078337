import CivilTime
import Digests
import Ledger
import TestSupport
import Testing

/// Seals, and the checker that finds where they do not hold.
@Suite(.offThePool) struct ChainTests {
  /// Batches of `sizes` records, sealed, with a genesis first; users are unique.
  static func ledger(_ sizes: [Int], seed: UInt64 = 1) throws -> [UInt8] {
    var samples = SampleRecords(seed: seed)
    var encoder = RecordEncoder()
    var sealer = SealBuilder()
    var head = LedgerHead.origin
    var bytes: [UInt8] = []
    for (number, size) in sizes.enumerated() {
      let at = SampleRecords.instant.adding(seconds: Int64(number))
      var batch: [UInt8] = []
      for index in 0..<size {
        let seq = head.seq + UInt64(index) + 1
        var grant = samples.grant()
        grant.key = "user\(seq)/2026-11-20/gift"
        let body: RecordBody =
          seq == 1 ? .genesis(GenesisRecord(format: 1, ledger: "l", program: "p")) : .grant(grant)
        try encoder.append(Record(seq: seq, at: at, body: body), to: &batch)
      }
      head = sealer.seal(
        &batch, count: size, seq: head.seq + UInt64(size) + 1, at: at, prev: head)
      bytes += batch
    }
    return bytes
  }

  static func check(_ bytes: [UInt8], piece: Int = .max) -> (damage: [Damage], head: LedgerHead) {
    var checker = ChainChecker(segment: "s", after: .origin, byte: 0)
    var position = 0
    var end = 0
    bytes.withUnsafeBufferPointer { bytes in
      while end < bytes.count {
        end = min(
          bytes.count, end > bytes.count - min(piece, bytes.count) ? bytes.count : end + piece)
        let fed = UnsafeBufferPointer(rebasing: bytes[position..<end])
        position += checker.feed(fed, until: .max).consumed
      }
    }
    checker.finish(rest: bytes.count - position, isLastSegment: true)
    return (checker.damage, checker.lastSeal.state.head)
  }

  @Test func anIndependentReadingFindsTheSealsRight() throws {
    let bytes = try Self.ledger([1, 3, 1, 12])
    try PlainChainCheck.check([bytes])
    #expect(Self.check(bytes).damage.isEmpty)
  }

  @Test(arguments: [1, 2, 7, 100, 1_000])
  func piecesOfAnySizeGiveTheSameHead(_ piece: Int) throws {
    let bytes = try Self.ledger([1, 3, 1, 12])
    let whole = Self.check(bytes)
    let pieces = Self.check(bytes, piece: piece)
    #expect(pieces.damage.isEmpty && pieces.head == whole.head && whole.head.seq == 21)
  }

  @Test func everyFlippedBitIsFound() throws {
    let bytes = try Self.ledger([1, 2])
    for index in bytes.indices {
      for bit in 0..<8 {
        var broken = bytes
        broken[index] ^= 1 << UInt8(bit)
        #expect(!Self.check(broken).damage.isEmpty, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func everyCutIsFoundAndLeavesTheLongestSealedPrefix() throws {
    let bytes = try Self.ledger([1, 2, 3])
    let ends = bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    let sealEnds = [ends[1], ends[4], ends[8]]
    for count in 0..<bytes.count {
      let (damage, head) = Self.check(Array(bytes[..<count]))
      let whole = sealEnds.filter { $0 <= count }
      #expect(head.seq == [0, 2, 5, 9][whole.count])
      if count == 0 || sealEnds.contains(count) {
        #expect(damage.isEmpty)
      } else {
        #expect(damage.map(\.kind) == [.unsealedTail])
        #expect(damage.first?.byte == whole.last ?? 0)
      }
    }
  }

  @Test func linesDeletedSwappedDoubledAndEditedAreFoundAtTheirPlace() throws {
    let bytes = try Self.ledger([1, 4, 5])
    let lines = bytes.split(separator: 0x0A).map { Array($0) + [0x0A] }
    for index in 0..<lines.count - 1 {
      var deleted = lines
      deleted.remove(at: index)
      var doubled = lines
      doubled.insert(lines[index], at: index)
      var swapped = lines
      swapped.swapAt(index, index + 1)
      for broken in [deleted, doubled, swapped] {
        let damage = Self.check(Array(broken.joined())).damage
        let sequence = try #require(damage.first { $0.kind == .sequence })
        #expect((index...index + 2).contains(sequence.line - 1))
        #expect(damage.contains { $0.kind == .seal } || index >= lines.count - 2)
      }
    }
  }

  @Test func oneFlippedBitIsReportedOnceAndNotForAllThatFollows() throws {
    let bytes = try Self.ledger([1, 4, 5, 6])
    var broken = bytes
    let index = try #require(bytes.firstIndex(of: UInt8(ascii: "g")))
    broken[index + 400] ^= 1
    let damage = Self.check(broken).damage
    #expect(damage.count <= 2 && damage.contains { $0.kind == .seal })
  }

  @Test func aTimeThatGoesBackAndAForeignFormatAreNamed() throws {
    var encoder = RecordEncoder()
    var sealer = SealBuilder()
    var bytes: [UInt8] = []
    let genesis = RecordBody.genesis(GenesisRecord(format: 2, ledger: "l", program: "p"))
    let at = SampleRecords.instant
    try encoder.append(Record(seq: 1, at: at, body: genesis), to: &bytes)
    _ = sealer.seal(&bytes, count: 1, seq: 2, at: at.adding(seconds: -1), prev: .origin)
    #expect(Self.check(bytes).damage.map(\.kind) == [.newerFormat, .timeGoesBack])
  }

  @Test func eachKeyHasAHashOfItsOwn() throws {
    var checker = ChainChecker(segment: "s", after: .origin, byte: 0)
    try Self.ledger([1] + Array(repeating: 50, count: 100)).withUnsafeBufferPointer {
      #expect(checker.feed($0, until: .max).consumed == $0.count)
    }
    #expect(checker.grants.count == 5_000)
    #expect(Set(checker.grants.map(\.hash)).count == 5_000)
  }

  @Test func aKeyIsTheSameHoweverItIsSpelled() throws {
    let lines = ["u/manual/a\u{22}", "u/manual/b"].flatMap { key in
      [
        key.replacing("\u{22}", with: #"\""#),
        key.replacing("\u{22}", with: #"\u0022"#).replacing("/", with: #"\/"#),
      ]
    }.enumerated().map { number, key in
      #"{"seq":\#(number + 1),"at":"2026-11-20T00:00:00.000Z","type":"grant","key":"\#(key)","user":"u"}"#
        + "\n"
    }
    var checker = ChainChecker(segment: "s", after: .origin, byte: 0)
    Array(lines.joined().utf8).withUnsafeBufferPointer { _ = checker.feed($0, until: .max) }
    let hashes = checker.grants.map(\.hash)
    #expect(hashes.count == 4 && hashes[0] == hashes[1] && hashes[2] == hashes[3])
    #expect(hashes[0] != hashes[2])
  }

  @Test(arguments: ["", ":", "5", "5:abc", "x:\(String(repeating: "0", count: 64))"])
  func aHeadInAnotherFormIsRefused(_ text: String) {
    #expect(LedgerHead(text) == nil)
  }

  @Test func aHeadReadsItsOwnText() {
    let head = LedgerHead(seq: 5, hash: SHA256.digest(of: [1]))
    #expect(LedgerHead(head.description) == head)
  }
}
