import CivilTime
import Evidence
import Foundation
import Foundations
import Scheduling
import TestSupport
import Testing

@testable import LedgerStore

/// Polls of open days outlive a restart; what is torn is passed over.
@Suite(.offThePool) struct LookJournalTests {
  private let folder: TemporaryFolder
  private let directory: DataDirectory

  init() throws {
    folder = try TemporaryFolder()
    directory = DataDirectory(folder.path + "/data")
    try directory.create()
  }

  private var path: String { "\(directory.looks)/looks" }

  private static func entry(_ number: Int, _ source: Source = .lastGift) -> LookEntry {
    var history = RouteHistory()
    let at = Instant(seconds: 1_790_000_000 + Int64(number), nanoseconds: Int32(number))
    history.coverage.cover(from: at, to: at.adding(seconds: 100))
    history.coverage.cover(from: at.adding(seconds: 200), to: at.adding(seconds: 300))
    history.latest = .told(
      .stream, from: at, to: number.isMultiple(of: 2) ? at.adding(seconds: 5) : nil)
    history.failures = [RouteHistory.Failure(at: at, cause: .serverError)]
    history.looks = Int32(number)
    if source == .follows {
      history.reading = CountReading(
        value: Int64(number), isStated: number != 3, from: at, doubted: number == 4 ? 2 : nil)
    }
    return LookEntry(user: "u\(number)", source: source, history: history)
  }

  /// The frame of a route that counts, byte for byte as version 1 wrote it.
  @Test func aCountIsKeptAsEver() throws {
    try LookJournal(directory).write([Self.entry(4, .follows)], inboxThrough: nil)
    let frame: [UInt8] = [
      0x9A, 0x01, 0x02, 0x04, 0x75, 0x34, 0x08, 0x04, 0x88, 0xEE, 0x89, 0xAB, 0x0D, 0x08, 0xD0,
      0xEF, 0x89, 0xAB, 0x0D, 0x08, 0x98, 0xF1, 0x89, 0xAB, 0x0D, 0x08, 0xE0, 0xF2, 0x89, 0xAB,
      0x0D, 0x08, 0x02, 0x0C, 0x88, 0xEE, 0x89, 0xAB, 0x0D, 0x08, 0x92, 0xEE, 0x89, 0xAB, 0x0D,
      0x08, 0x00, 0x00, 0x02, 0x88, 0xEE, 0x89, 0xAB, 0x0D, 0x08, 0x18, 0x73, 0x65, 0x72, 0x76,
      0x65, 0x72, 0x20, 0x65, 0x72, 0x72, 0x6F, 0x72, 0x08, 0x04, 0x08, 0x88, 0xEE, 0x89, 0xAB,
      0x0D, 0x08, 0x02, 0x04, 0x87, 0xA4, 0x71, 0xD3,
    ]
    #expect(try contents(path) == Array("looks 2\n".utf8) + frame)
  }

  /// What another process would find.
  private func read() throws -> Kept { try read(LookJournal(directory)) }

  private func read(_ journal: LookJournal) throws -> Kept {
    var entries: [LookEntry] = []
    let found = try journal.read { entries.append($0) }
    return (entries, found.inboxThrough, found.damagedBytes)
  }

  private typealias Kept = (
    entries: [LookEntry], inboxThrough: Instant?, damagedBytes: Int
  )

  /// What cannot be read there ends nothing: what was kept is lost, and the journal goes on.
  @Test func whatCannotBeReadIsLostAndNothingElse() async throws {
    #expect(mkfifo(path, 0o600) == 0)
    let journal = LookJournal(directory)
    let found = try journal.read { _ in Issue.record("there is nothing to read") }
    #expect(found.loss?.isUnreadable == true)
    for number in 7...8 {
      journal.keep([Self.entry(number)])
      await journal.flush()
    }
    #expect(try read().entries == [Self.entry(7), Self.entry(8)])
  }

  @Test func whatIsKeptIsRead() async throws {
    let journal = LookJournal(directory)
    let entries = Source.polled.flatMap { route in (0..<5).map { Self.entry($0, route) } }
    let empty = LookEntry(user: "é", source: .lastStream, history: RouteHistory())
    journal.keep(entries)
    journal.keep(inboxThrough: Instant(seconds: 7, nanoseconds: 9))
    journal.keep([empty])
    await journal.flush()
    let kept = try read()
    #expect(kept.entries == entries + [empty])
    #expect(kept.inboxThrough == Instant(seconds: 7, nanoseconds: 9))
    #expect(kept.damagedBytes == 0)
    for name in ["u3", "é", "nobody"] {
      var theirs: [LookEntry] = []
      let found = try LookJournal(directory).read(of: [name]) { theirs.append($0) }
      #expect(theirs == kept.entries.filter { $0.user == name })
      #expect(found.inboxThrough == kept.inboxThrough && found.damagedBytes == 0)
    }
  }

  @Test func nothingIsReadWhereNothingWasKept() async throws {
    let kept = try read()
    #expect(kept.entries == [] && kept.inboxThrough == nil && kept.damagedBytes == 0)
  }

  /// However much of the last frame is on the disk, it costs itself only.
  @Test func tornLastFrameCostsItselfOnly() async throws {
    let first = LookJournal(directory)
    first.keep([Self.entry(1)])
    await first.flush()
    let good = try contents(path)
    first.keep([Self.entry(2)])
    await first.flush()
    let whole = try contents(path)
    for count in good.count..<whole.count {
      try put(Array(whole.prefix(count)), at: path)
      let reopened = LookJournal(directory)
      let found = try read(reopened)
      #expect(found.entries == [Self.entry(1)] && found.damagedBytes == count - good.count)
      reopened.keep([Self.entry(3)])
      reopened.keep([Self.entry(4)])
      await reopened.flush()
      let kept = try read()
      #expect(kept.entries == [Self.entry(1), Self.entry(3), Self.entry(4)])
      #expect(kept.damagedBytes == 0)
    }
  }

  @Test func aRefusedWriteCostsItselfOnly() async throws {
    for call in 1...12 {
      let files = FaultyFileSystem(.init(fault: .error(ENOSPC), atCall: call))
      let journal = LookJournal(DataDirectory(directory.path, in: files))
      for number in 1...4 { journal.keep([Self.entry(number)]) }
      await journal.flush()
      let kept = try read()
      #expect(kept.damagedBytes == 0)
      let whole = (1...4).map { Self.entry($0) }
      let lost = whole.filter { !kept.entries.contains($0) }
      #expect(
        lost.count <= 1 && kept.entries == whole.filter { !lost.contains($0) }, "call \(call)")
      try removeJournal()
    }
  }

  @Test(arguments: ["nonsense\n", "{\"user\":\"a\"}\n", "\u{0}\u{0}", "looks 9\n"])
  func aFileOfAnotherFormIsPassedOverAndReplaced(text: String) async throws {
    try put(Array(text.utf8), at: path)
    let journal = LookJournal(directory)
    let found = try read(journal)
    #expect(found.entries == [] && found.damagedBytes == text.utf8.count)
    journal.keep([Self.entry(1)])
    await journal.flush()
    #expect(try read().entries == [Self.entry(1)])
  }

  /// Whichever byte is wrong, no frame is read as something that was not written.
  @Test func aWrongByteMakesNothingUp() async throws {
    let journal = LookJournal(directory)
    journal.keep((0..<4).map { Self.entry($0) })
    await journal.flush()
    let whole = try contents(path)
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0x20
      try put(bytes, at: path)
      let kept = try read()
      #expect(kept.entries == (0..<kept.entries.count).map { Self.entry($0) }, "byte \(index)")
      #expect(kept.damagedBytes > 0, "byte \(index)")
    }
  }

  /// A whole frame that only a newer version understands ends the journal; what is kept from then on is read again.
  @Test func aFrameOfANewerVersionEndsTheJournal() async throws {
    let first = LookJournal(directory)
    first.keep([Self.entry(1)])
    await first.flush()
    let payload: [UInt8] = [0x12]
    let newer = [0x02] + payload + withUnsafeBytes(of: payload.checksum.littleEndian) { Array($0) }
    try put(try contents(path) + newer, at: path)
    let journal = LookJournal(directory)
    let found = try read(journal)
    #expect(found.entries == [Self.entry(1)] && found.damagedBytes == newer.count)
    journal.keep([Self.entry(2)])
    await journal.flush()
    #expect(try read().entries == [Self.entry(1), Self.entry(2)])
  }

  @Test func rewritingKeepsJustTheseFramesAndAppendingGoesOn() async throws {
    let journal = LookJournal(directory)
    journal.keep((0..<50).map { Self.entry($0) })
    journal.rewrite([Self.entry(7)], inboxThrough: Instant(seconds: 5))
    journal.keep([Self.entry(8)])
    await journal.flush()
    let kept = try read()
    #expect(kept.entries == [Self.entry(7), Self.entry(8)])
    #expect(kept.inboxThrough == Instant(seconds: 5))
    #expect(try names(in: directory.looks) == ["looks"])
  }

  /// A command a night, each with a journal of its own: what is kept is bounded by users and open days, not by nights.
  @Test func manyCommandsKeepItShort() async throws {
    let entries = Source.routes.flatMap { route in (0..<4_000).map { Self.entry($0, route) } }
    for night in 0..<40 {
      let journal = LookJournal(directory)
      _ = try read(journal)
      journal.keep(entries)
      await journal.flush()
      if journal.isWorthRewriting(entries: entries.count) {
        journal.rewrite(entries, inboxThrough: nil)
        await journal.flush()
      }
      let bytes = try contents(path).count
      #expect(bytes <= LookJournal.mostBytesAnEntry * entries.count, "night \(night)")
    }
    #expect(Set(try read().entries.map(\.user)).count == 4_000)
  }

  private func removeJournal() throws { try FileManager.default.removeItem(atPath: path) }

  /// A link that stands in the journal's place is replaced; nothing is written through it.
  @Test func noLinkIsFollowed() async throws {
    let other = try folder.write("other", "somebody's file\n")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
    for number in 0..<2 {
      let journal = LookJournal(directory)
      _ = try read(journal)
      journal.keep([Self.entry(number)])
      await journal.flush()
    }
    #expect(try read().entries.map(\.user) == ["u0", "u1"])
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "somebody's file\n")
  }
}
