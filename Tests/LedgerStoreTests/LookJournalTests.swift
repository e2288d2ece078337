import CivilTime
import Evidence
import Glibc
import LedgerStore
import Scheduling
import TestSupport
import Testing

/// Looks of open days outlive a restart; what is torn is passed over.
@Suite(.offThePool) struct LookJournalTests {
  private let folder: TemporaryFolder
  private let directory: DataDirectory

  init() throws {
    folder = try TemporaryFolder()
    directory = DataDirectory(folder.path + "/data")
    try directory.create(in: PosixFileSystem())
  }

  private var path: String { "\(directory.looks)/looks.jsonl" }

  private static func entry(_ number: Int, _ source: Source = .lastGift) -> LookEntry {
    var history = SourceHistory()
    let at = Instant(seconds: 1_790_000_000 + Int64(number), nanoseconds: Int32(number))
    history.coverage.cover(from: at, to: at.adding(seconds: 100))
    history.coverage.cover(from: at.adding(seconds: 200), to: at.adding(seconds: 300))
    history.latest = ReportedActivity(
      from: at, to: number.isMultiple(of: 2) ? at.adding(seconds: 5) : nil)
    history.failures = [SourceHistory.Failure(at: at, cause: .serverError)]
    history.looks = Int32(number)
    return LookEntry(user: "u\(number)", source: source, history: history)
  }

  @Test func whatIsKeptIsRead() async throws {
    let journal = LookJournal(directory)
    let entries = Source.routes.flatMap { route in (0..<5).map { Self.entry($0, route) } }
    await journal.keep(entries)
    await journal.keep(watermark: InboxWatermark(through: Instant(seconds: 7, nanoseconds: 9)))
    await journal.keep([LookEntry(user: "e", source: .lastStream, history: SourceHistory())])
    let kept = try await LookJournal(directory).read()
    #expect(kept.entries == entries + [LookEntry(user: "e", source: .lastStream, history: .init())])
    #expect(kept.watermark == InboxWatermark(through: Instant(seconds: 7, nanoseconds: 9)))
    #expect(kept.damagedLines == 0)
    #expect(journal.sizeBytes == (try contents(path)).count)
  }

  @Test func nothingIsReadWhereNothingWasKept() async throws {
    let kept = try await LookJournal(directory).read()
    #expect(kept.entries == [] && kept.watermark == nil && kept.damagedLines == 0)
  }

  @Test func tornLastLineCostsItselfOnly() async throws {
    await LookJournal(directory).keep([Self.entry(1), Self.entry(2)])
    let whole = try contents(path)
    try put(Array(whole.dropLast(10)), at: path)
    let reopened = LookJournal(directory)
    #expect(try await reopened.read().entries == [Self.entry(1)])
    await reopened.keep([Self.entry(3)])
    await reopened.keep([Self.entry(4)])
    let kept = try await LookJournal(directory).read()
    #expect(kept.entries == [Self.entry(1), Self.entry(3), Self.entry(4)])
    #expect(kept.damagedLines == 1)
  }

  @Test func aRefusedWriteCostsItselfOnly() async throws {
    // The calls are one open, then a write each: the third write is refused.
    let files = FaultyFileSystem(.init(fault: .error(ENOSPC), atCall: 4))
    let journal = LookJournal(directory, fileSystem: files)
    await journal.keep([Self.entry(1)])
    await journal.keep([Self.entry(2)])
    await journal.keep([Self.entry(3)])
    await journal.keep([Self.entry(4)])
    let kept = try await journal.read()
    #expect(kept.entries.first == Self.entry(1))
    #expect(kept.entries.last == Self.entry(4))
    #expect(kept.entries.count == 3)
  }

  @Test func damagedLinesAreCountedAndPassedOver() async throws {
    await LookJournal(directory).keep([Self.entry(1)])
    let line = try contents(path)
    let bad = [
      "nonsense", "{}", #"{"user":"a"}"#, #"{"user":"a","route":"999"}"#, "\u{0}\u{0}",
    ]
    try put(line + Array((bad.joined(separator: "\n") + "\n").utf8) + line, at: path)
    let kept = try await LookJournal(directory).read()
    #expect(kept.entries == [Self.entry(1), Self.entry(1)])
    #expect(kept.damagedLines == bad.count)
  }

  @Test func rewritingKeepsJustTheseLinesAndAppendingGoesOn() async throws {
    let journal = LookJournal(directory)
    await journal.keep((0..<50).map { Self.entry($0) })
    let watermark = InboxWatermark(through: Instant(seconds: 5))
    try await journal.rewrite([Self.entry(7)], watermark: watermark)
    await journal.keep([Self.entry(8)])
    let kept = try await LookJournal(directory).read()
    #expect(kept.entries == [Self.entry(7), Self.entry(8)])
    #expect(kept.watermark == watermark)
    #expect(try names(in: directory.looks) == ["looks.jsonl"])
  }
}
