import CivilTime
import Evidence
import Files
import Glibc
import LedgerStore
import Scheduling
import TestSupport
import Testing

/// Files of other programs: read once, put away, bad lines kept with the reason.
@Suite(.offThePool) struct InboxFolderTests {
  private let folder: TemporaryFolder
  private let directory: DataDirectory

  init() throws {
    folder = try TemporaryFolder()
    directory = DataDirectory(folder.path + "/data")
    try directory.create(in: PosixFileSystem())
  }

  private static func utc() throws -> Zone {
    // A zone without a change: an empty version-1 file of one type.
    try Zone(
      name: "UTC",
      tzif: Array("TZif".utf8) + [0] + Array(repeating: 0, count: 15)
        + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8))
  }

  private func inbox(_ fileSystem: some FileSystem = PosixFileSystem()) throws -> InboxFolder {
    InboxFolder(directory, naiveZone: try Self.utc(), fileSystem: fileSystem)
  }

  private static let text = """
    {"user":"a","kind":"login","at":"2026-11-20T05:00:00Z"}
    nonsense

    {"completeThrough":"2026-11-20T06:00:00Z"}
    {"user":"a b","kind":"login","at":"2026-11-20T05:00:00Z"}
    """

  @Test func goodLinesAreReadAndBadOnesKeptWithTheReason() async throws {
    try put(Array(Self.text.utf8), at: "\(directory.incoming)/one.jsonl")
    let inbox = try inbox()
    #expect(try await inbox.waiting() == ["one.jsonl"])
    let delivery = try await inbox.read("one.jsonl")
    #expect(delivery.lines.map(\.number) == [1, 4])
    #expect(delivery.rejected.map(\.number) == [2, 5])
    let late = RejectedLine(number: 1, reason: "nobody knows \"a\"")
    try await inbox.putAway(delivery, rejected: delivery.rejected + [late])
    #expect(try await inbox.waiting() == [])
    #expect(try names(in: directory.done) == ["one.jsonl"])
    #expect(try contents("\(directory.done)/one.jsonl") == Array(Self.text.utf8))
    let rejected = String(
      decoding: try contents("\(directory.rejected)/one.jsonl"), as: UTF8.self)
    let lines = rejected.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix(#"{"line":1,"reason":"nobody knows \"a\"","text":"{\"user\":\"a\""#))
    #expect(lines[1].hasPrefix(#"{"line":2,"#) && lines[1].contains(#""text":"nonsense""#))
    #expect(lines[2].hasPrefix(#"{"line":5,"#) && lines[2].contains("1 to 64 characters"))
  }

  @Test func filesStillBeingWrittenAreLeftAlone() async throws {
    for name in ["b.jsonl", "a.jsonl", ".hidden", "c.jsonl.tmp"] {
      try put(Array("{}".utf8), at: "\(directory.incoming)/\(name)")
    }
    #expect(try await inbox().waiting() == ["a.jsonl", "b.jsonl"])
  }

  @Test func handedOverTextWaitsUnderItsName() async throws {
    let inbox = try inbox()
    try await inbox.handOver(Array(Self.text.utf8), as: "x.jsonl")
    #expect(try names(in: directory.incoming) == ["x.jsonl"])
    #expect(try await inbox.read("x.jsonl").lines.count == 2)
  }

  @Test func aFileWithoutBadLinesLeavesNothingInRejected() async throws {
    let inbox = try inbox()
    try await inbox.handOver(Array("\n".utf8), as: "x.jsonl")
    let delivery = try await inbox.read("x.jsonl")
    try await inbox.putAway(delivery, rejected: [])
    #expect(try names(in: directory.rejected) == [])
    #expect(try names(in: directory.done) == ["x.jsonl"])
  }

  /// A crash at any call leaves the file where it is read again, or done; then all is as without the crash.
  @Test func deathWhilePuttingAwayIsRepaired() async throws {
    var call = 1
    while true {
      try put(Array(Self.text.utf8), at: "\(directory.incoming)/one.jsonl")
      let files = FaultyFileSystem(.init(fault: .kill, atCall: call))
      let dying = try inbox(files)
      let delivery = try await dying.read("one.jsonl")
      let died: Bool
      do {
        try await dying.putAway(delivery, rejected: delivery.rejected)
        died = false
      } catch {
        died = true
      }
      let inbox = try inbox()
      for name in try await inbox.waiting() {
        let again = try await inbox.read(name)
        #expect(again.lines == delivery.lines && again.rejected == delivery.rejected)
        try await inbox.putAway(again, rejected: again.rejected)
      }
      #expect(try names(in: directory.incoming) == [], "death at call \(call)")
      #expect(try names(in: directory.done) == ["one.jsonl"])
      let rejected = try contents("\(directory.rejected)/one.jsonl")
      #expect(rejected.count { $0 == 0x0A } == 2, "death at call \(call)")
      if !died { break }
      call += 1
    }
    #expect(call > 5)
  }
}
