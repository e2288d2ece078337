import CivilTime
import Foundations
import Glibc
import NotificationRelay
import TestSupport
import Testing

/// Whether what the file sink has delivered is there to stay.
@Suite(.offThePool) struct FileSinkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func event(_ id: String) -> CloudEvent {
    CloudEvent(
      id: id, source: "urn:x", type: .relayTest, subject: nil,
      time: Instant(seconds: 0), data: "{}")
  }

  @Test func theNameOfANewFileIsBroughtToTheDisk() async {
    let files = FaultyFileSystem()
    let path = "\(folder.path)/events.jsonl"
    let sink = FileSink(path: path, fileSystem: files)
    #expect(await sink.deliver([event("a")]) == [.delivered(status: nil)])
    #expect(files.syncs == ["sync \(path)", "syncFolder \(folder.path)"])
    #expect(await sink.deliver([event("b")]) == [.delivered(status: nil)])
    #expect(files.syncs == ["sync \(path)", "syncFolder \(folder.path)", "sync \(path)"])
  }

  @Test func thatOfAFileWhichIsMadeAnewToo() async throws {
    let files = FaultyFileSystem()
    let path = "\(folder.path)/events.jsonl"
    let sink = FileSink(path: path, fileSystem: files)
    _ = await sink.deliver([event("a")])
    try files.remove(path)
    _ = await sink.deliver([event("b")])
    #expect(files.syncs.filter { $0.hasPrefix("syncFolder") }.count == 2)
  }

  /// A loss of power may leave zeros where pages were not written, in the midst of lines and before whole ones.
  @Test(arguments: [
    "\u{0}\u{0}", "{\"id\u{0}\u{0}\"}\n", "\u{0}\u{0}}\n{\"id\":\"late\"}\n", "{\"torn\":",
  ])
  func whatHasNoBytesIsCutOff(rest: String) async throws {
    let path = "\(folder.path)/events.jsonl"
    _ = await FileSink(path: path, fileSystem: PosixFileSystem()).deliver([event("a")])
    let kept = try PosixFileSystem().readWhole(path)
    try PosixFileSystem().replace(path, with: [kept, Array(rest.utf8)])
    #expect(
      await FileSink(path: path, fileSystem: PosixFileSystem()).deliver([event("b")]) == [
        .delivered(status: nil)
      ])
    let lines = try PosixFileSystem().readWhole(path).split(separator: 0x0A)
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["a", "b"].map { event($0).json })
  }

  /// Whatever is there already and holds no events is somebody else's: a secret, a ledger, a link to either.
  @Test(arguments: ["a secret", "{\"seq\":1,\"at\":\"2026\"}\n", "\n", "{\"specversion\" : 1}\n"])
  func whatIsSomebodyElsesIsLeftAlone(text: String) async throws {
    let path = "\(folder.path)/kept"
    try PosixFileSystem().replace(path, with: [Array(text.utf8)])
    let link = "\(folder.path)/link"
    #expect(symlink(path, link) == 0)
    for target in [path, link] {
      let outcome = await FileSink(path: target, fileSystem: PosixFileSystem()).deliver([event("a")]
      ).first
      #expect(outcome?.isSettled == false)
      #expect(throws: FileError.self) {
        try FileSink(path: target, fileSystem: PosixFileSystem()).requireOwn()
      }
      #expect(try PosixFileSystem().readWhole(path) == Array(text.utf8))
    }
    // Nor is a file of its own reached by a link.
    let own = "\(folder.path)/events.jsonl"
    _ = await FileSink(path: own, fileSystem: PosixFileSystem()).deliver([event("a")])
    #expect(symlink(own, "\(folder.path)/other") == 0)
    let outcome = await FileSink(path: "\(folder.path)/other", fileSystem: PosixFileSystem())
      .deliver([event("b")]).first
    #expect(outcome?.isSettled == false)
    try FileSink(path: own, fileSystem: PosixFileSystem()).requireOwn()
  }

  @Test func aNameThatDoesNotReachTheDiskIsNoDelivery() async {
    // Opened, written and synced, and then the folder.
    let files = FaultyFileSystem(.init(fault: .error(EIO), atCall: 4))
    let sink = FileSink(path: "\(folder.path)/events.jsonl", fileSystem: files)
    let outcome = await sink.deliver([event("a")]).first
    #expect(files.calls.last?.operation == "syncFolder")
    #expect(outcome?.isSettled == false)
  }
}
