import CivilTime
import Foundations
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// Reading by an index gives what reading everything gives, whatever became of the index.
@Suite(.offThePool) struct IndexTests {
  private static let users = 30

  /// A ledger of some segments with lines of users in random order, and lines about nobody between them.
  private static func ledger(
    seed: UInt64, appends: Int = 400, segments limit: Int = 90_000
  ) throws -> Bench {
    var random = SplitMix64(seed: seed, 11)
    var bench = try Bench()
    bench.segmentLimitBytes = limit
    let store = try bench.open()
    for number in 0..<appends {
      var bodies: [RecordBody] = []
      for _ in 0..<Int(random.number(in: 1...6)) {
        let user = "user\(random.number(in: 0...Int64(users - 1)))"
        let at = Instant(seconds: 1_795_186_000 + Int64(number))
        bodies.append(.level(LevelRecord(user: user, level: 2, effective: at)))
      }
      if random.chance(0.1) {
        bodies.append(
          .operator(OperatorRecord(act: .pause, subject: "night", reason: "r", actor: "a")))
      }
      _ = try store.append(bodies)
    }
    store.close()
    return bench
  }

  /// A reader that makes an index of every segment however short.
  private static func reader(_ bench: Bench, tail: Int = 1) throws -> LedgerReader {
    var reader = try LedgerReader.open(bench.directory)
    reader.indexes?.worthwhileBytes = 1
    reader.indexes?.tailBytes = tail
    return reader
  }

  private static func records(_ reader: LedgerReader, of users: [String]) throws -> [Record] {
    var records: [Record] = []
    try reader.scan(.of(.named(users))) { records.append($0) }
    return records
  }

  private static func plain(_ bench: Bench, of users: [String]) throws -> [Record] {
    try bench.records().filter { record in
      switch record.body {
      case .seal, .run: false
      default: record.body.user.map(users.contains) ?? true
      }
    }
  }

  private static func indexes(_ bench: Bench) throws -> [String] {
    try PosixFileSystem().names(in: bench.directory.index).sorted().map {
      "\(bench.directory.index)/\($0)"
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func givesWhatReadingEverythingGives(seed: UInt64) throws {
    let bench = try Self.ledger(seed: seed)
    for _ in 0..<2 {
      let reader = try Self.reader(bench)
      for user in [["user0"], ["user3", "user29", "nobody"], ["nobody"]] {
        #expect(try Self.records(reader, of: user) == Self.plain(bench, of: user))
      }
      var pauses = 0
      try reader.scan(.ofTypes([.operator])) { _ in pauses += 1 }
      #expect(pauses == (try bench.records().count { $0.body.type == .operator }))
    }
    #expect(try Self.indexes(bench).count > 1)
    #expect(try Self.reader(bench).makeIndexes() == 0)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func slicesOfUsersAreTheSameWithAndWithoutAnIndex(seed: UInt64) throws {
    let bench = try Self.ledger(seed: seed)
    func slice(_ reader: LedgerReader, of users: [String]) throws -> [UInt8] {
      var selection = LineSelection()
      selection.users = Set(users)
      var bytes: [UInt8] = []
      try LedgerSlices(reader).scan(selection, as: .lines) {
        bytes += $0
        return .next
      }
      return bytes
    }
    for users in [["user0"], ["user3", "user29", "nobody"], ["nobody"]] {
      let plain = try slice(
        LedgerReader.open(folder: bench.directory.ledger, fileSystem: PosixFileSystem()), of: users)
      #expect(try slice(Self.reader(bench), of: users) == plain)
      #expect(plain.isEmpty == (users == ["nobody"]))
    }
    #expect(try Self.indexes(bench).count > 1)
  }

  @Test func coversWhatIsAppendedLaterAndPackedSegments() throws {
    let bench = try Self.ledger(seed: 7)
    _ = try Self.records(Self.reader(bench), of: ["user1"])
    let store = try bench.reopened()
    for _ in 0..<20 {
      _ = try store.append([
        .level(LevelRecord(user: "user1", level: 3, effective: Instant(seconds: 1_795_186_900)))
      ])
    }
    store.close()
    // The tail behind the index is read as it is, or the index is made anew.
    for tail in [1 << 20, 1] {
      let read = try Self.records(Self.reader(bench, tail: tail), of: ["user1"])
      #expect(try read == Self.plain(bench, of: ["user1"]))
    }
    _ = try LedgerCompaction(bench.directory).run(keeping: 1)
    #expect(
      try Self.records(Self.reader(bench), of: ["user1"]) == Self.plain(bench, of: ["user1"]))
  }

  /// One byte after the other is changed, cut off or added.
  @Test func damageCostsTimeOnly() throws {
    let bench = try Self.ledger(seed: 9, appends: 60, segments: 12_000)
    let users = ["user5", "user6"]
    let expected = try Self.plain(bench, of: users)
    #expect(try Self.records(Self.reader(bench), of: users) == expected)
    let path = try #require(try Self.indexes(bench).first)
    let whole = try PosixFileSystem().readWhole(path)
    var damaged = whole.indices.map { place in
      var bytes = whole
      bytes[place] ^= UInt8(1 << (place % 8))
      return bytes
    }
    damaged += stride(from: 0, to: whole.count, by: 97).map { Array(whole[..<$0]) } + [whole + [0]]
    for bytes in damaged {
      try PosixFileSystem().replace(path, with: [bytes])
      #expect(try Self.records(Self.reader(bench), of: users) == expected)
    }
  }

  @Test func indexOfAnotherLedgerIsNotUsed() throws {
    let bench = try Self.ledger(seed: 1)
    let other = try Self.ledger(seed: 2)
    for bench in [bench, other] { _ = try Self.reader(bench).makeIndexes() }
    for (path, foreign) in zip(try Self.indexes(bench), try Self.indexes(other)) {
      try PosixFileSystem().replace(path, with: [PosixFileSystem().readWhole(foreign)])
    }
    #expect(
      try Self.records(Self.reader(bench), of: ["user4"]) == Self.plain(bench, of: ["user4"]))
  }

  @Test func sealsOfLinesAreFoundWithAndWithoutAnIndex() throws {
    let bench = try Self.ledger(seed: 5)
    let records = try bench.records()
    let seqs = records.filter { $0.body.type != .seal }.map(\.seq)
    let expected = seqs.map { seq in
      records.first { $0.seq > seq && $0.body.type == .seal }.map(\.seq)
    }
    #expect(try LedgerReader.open(bench.directory).seals(of: seqs).map(\.seq) == expected)
    #expect(try Self.reader(bench).seals(of: seqs).map(\.seq) == expected)
    #expect(throws: LedgerError.self) {
      try Self.reader(bench).seals(of: [(records.last?.seq ?? 0) + 1])
    }
  }
}
