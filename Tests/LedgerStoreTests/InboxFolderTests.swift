import CivilTime
import Evidence
import Foundations
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
    try directory.create()
  }

  private static func utc() throws -> Zone {
    // A zone without a change: an empty version-1 file of one type.
    let header = [UInt8]("TZif".utf8) + [UInt8](repeating: 0, count: 35) + [1, 0, 0, 0, 4]
    return try Zone(name: "UTC", tzif: header + [0, 0, 0, 0, 0, 0] + [UInt8]("UTC\0".utf8))
  }

  private func inbox(_ fileSystem: some FileSystem = PosixFileSystem()) throws -> InboxFolder {
    InboxFolder(
      DataDirectory(directory.path, in: fileSystem), naiveZone: try Self.utc())
  }

  private func putAway(
    _ portion: InboxPortion, _ rejected: [RejectedLine], named name: String = "one.jsonl",
    in inbox: InboxFolder
  ) async throws {
    var file = RejectedFile(of: name)
    try await inbox.appendRejected(rejected, of: portion, in: &file)
    try await inbox.archive(name, rejected: file)
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
    try await putAway(delivery, delivery.rejected + [late], in: inbox)
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
    try await putAway(delivery, [], named: "x.jsonl", in: inbox)
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
        try await putAway(delivery, delivery.rejected, in: dying)
        died = false
      } catch {
        died = true
      }
      let inbox = try inbox()
      for name in try await inbox.waiting() {
        let again = try await inbox.read(name)
        #expect(again.lines == delivery.lines && again.rejected == delivery.rejected)
        try await putAway(again, again.rejected, in: inbox)
      }
      #expect(try names(in: directory.incoming) == [], "death at call \(call)")
      let (done, rejected) = (try names(in: directory.done), try names(in: directory.rejected))
      #expect(done.count == 1 && done.allSatisfy { $0.hasPrefix("one.jsonl") })
      #expect(rejected.last == done.last && rejected.count <= 2, "death at call \(call)")
      for name in rejected {
        let lines = try contents("\(directory.rejected)/\(name)")
        #expect(lines.count { $0 == 0x0A } == 2, "death at call \(call)")
      }
      for name in done { try PosixFileSystem().remove("\(directory.done)/\(name)") }
      for name in rejected {
        try PosixFileSystem().remove("\(directory.rejected)/\(name)")
      }
      if !died { break }
      call += 1
    }
    #expect(call > 5)
  }

  /// Senders may use one name every day: what was put away under it stays, with what was rejected of it.
  @Test func nothingThatWasPutAwayIsReplaced() async throws {
    let inbox = try inbox()
    try put(Array("an oddity\n".utf8), at: "\(directory.rejected)/one.jsonl~3")
    var texts: [[UInt8]] = []
    for number in 1...4 {
      texts.append(Array("\(Self.text)no line \(number)\n".utf8))
      try await inbox.handOver(texts[number - 1], as: "one.jsonl")
      let delivery = try await inbox.read("one.jsonl")
      try await putAway(delivery, delivery.rejected, in: inbox)
    }
    let put = ["one.jsonl", "one.jsonl~2", "one.jsonl~4", "one.jsonl~5"]
    #expect(try names(in: directory.done) == put)
    #expect(try put.map { try contents("\(directory.done)/\($0)") } == texts)
    for (number, name) in put.enumerated() {
      let rejected = try contents("\(directory.rejected)/\(name)")
      #expect(String(decoding: rejected, as: UTF8.self).contains("no line \(number + 1)"))
    }
    #expect(try contents("\(directory.rejected)/one.jsonl~3") == Array("an oddity\n".utf8))
  }

  /// Portions of a file together say what the file says, wherever it is divided, and no line is too long to be passed over.
  @Test func aLargeFileComesInPortions() async throws {
    let good = Array("{\"completeThrough\":\"2026-11-20T06:00:00Z\"}\n".utf8)
    let long = [UInt8](repeating: 0x78, count: 3 << 20) + [0x0A]
    var text: [UInt8] = []
    for _ in 0..<30_000 { text += Array("x\n".utf8) + good }
    text += long + good + long.dropLast()
    try put(text, at: "\(directory.incoming)/one.jsonl")
    let inbox = try inbox()
    var file = RejectedFile(of: "one.jsonl")
    var position: InboxPortion.Position? = .start
    var (lines, rejected, portions): ([Int], [Int], Int) = ([], [], 0)
    while let start = position {
      let portion = try await inbox.read("one.jsonl", from: start)
      lines += portion.lines.map(\.number)
      rejected += portion.rejected.map(\.number)
      try await inbox.appendRejected(portion.rejected, of: portion, in: &file)
      position = portion.next
      portions += 1
    }
    try await inbox.archive("one.jsonl", rejected: file)
    #expect(portions > 3)
    #expect(lines == (1...30_000).map { $0 * 2 } + [60_002])
    #expect(rejected == (0..<30_000).map { $0 * 2 + 1 } + [60_001, 60_003])
    let kept = try contents("\(directory.rejected)/one.jsonl")
    #expect(kept.count { $0 == 0x0A } == 30_002)
  }

  @Test func ofVeryManyBadLinesOnlyTheFirstAreKept() async throws {
    let lines = RejectedFile.lineLimit + 5
    try put(Array(repeating: 0x78, count: 1) + [0x0A], at: "\(directory.incoming)/one.jsonl")
    let inbox = try inbox()
    let portion = try await inbox.read("one.jsonl")
    try await putAway(
      portion, (1...lines).map { RejectedLine(number: $0, reason: "bad") }, in: inbox)
    let kept = try contents("\(directory.rejected)/one.jsonl")
    #expect(kept.count { $0 == 0x0A } == RejectedFile.lineLimit + 1)
    #expect(String(decoding: kept.suffix(80), as: UTF8.self).contains("5 more lines were rejected"))
  }

  /// What is no regular file of this account is not opened, and moves to `rejected/` as it is.
  @Test func oddThingsAreSetAside() async throws {
    let incoming = directory.incoming
    let secret = try folder.write("secret", "token")
    mkfifo("\(incoming)/pipe", 0o600)
    mkdir("\(incoming)/folder", 0o700)
    symlink(secret, "\(incoming)/link")
    symlink("/none/such", "\(incoming)/dangling")
    symlink(secret, "\(incoming)/link again")
    let long = String(repeating: "n", count: 255)
    try put([], at: "\(incoming)/\(long)")
    let expected = [
      "pipe": "a pipe", "folder": "a folder", "link": "a symbolic link",
      "dangling": "a symbolic link", "link again": "a symbolic link", long: "longer than 200 bytes",
    ]
    let inbox = try inbox()
    #expect(try await inbox.waiting() == expected.keys.sorted())
    for (name, reason) in expected {
      let error = await #expect(throws: FileError.self) { _ = try await inbox.read(name) }
      #expect(error?.isOddity == true)
      #expect(error?.cause.contains(reason) == true, "\(name): \(error?.cause ?? "-")")
      let aside = try await inbox.setAside(name, reason: reason)
      #expect(
        try contents("\(directory.rejected)/\(aside).reason") == Array("\(reason)\n".utf8))
    }
    #expect(try await inbox.waiting() == [])
    // Nothing of what the link points at is there.
    #expect(try names(in: directory.rejected).count == 2 * expected.count)
    // A second of the same name takes nobody's place.
    mkfifo("\(incoming)/pipe", 0o600)
    #expect(try await inbox.setAside("pipe", reason: "again") == "pipe~2")
  }

  @Test func aNameThatIsNotUTF8MovesUnderAnother() async throws {
    let name = Array("\(directory.incoming)/a%b".utf8) + [0xFF, 0x01, 0]
    for _ in 0..<2 {
      let descriptor = name.withUnsafeBytes {
        open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY, 0o600)
      }
      #expect(descriptor >= 0)
      close(descriptor)
      let inbox = try inbox()
      #expect(try await inbox.waiting() == [])
      #expect(try await inbox.setUnnameableAside().count == 1)
    }
    let aside = try names(in: directory.rejected).filter { !$0.hasSuffix(".reason") }.sorted()
    #expect(aside == ["a%25b%FF%01", "a%25b%FF%01~2"])
  }
}
