import CivilTime
import Files
import NotificationRelay
import TestSupport
import Testing
import Threading

/// Whether what the file sink has delivered is there to stay.
@Suite(.offThePool) struct FileSinkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func event(_ id: String) -> CloudEvent {
    CloudEvent(
      id: id, source: "urn:x", type: "com.cheer-supports.x.v1", subject: nil,
      time: Instant(seconds: 0), data: "{}")
  }

  @Test func theNameOfANewFileIsBroughtToTheDisk() async {
    let files = WatchedFiles()
    let path = "\(folder.path)/events.jsonl"
    let sink = FileSink(path: path, fileSystem: files)
    #expect(await sink.deliver([event("a")]) == [.delivered(status: nil)])
    #expect(files.calls == ["sync events.jsonl", "syncFolder"])
    #expect(await sink.deliver([event("b")]) == [.delivered(status: nil)])
    #expect(files.calls == ["sync events.jsonl", "syncFolder", "sync events.jsonl"])
  }

  @Test func thatOfAFileWhichIsMadeAnewToo() async throws {
    let files = WatchedFiles()
    let path = "\(folder.path)/events.jsonl"
    let sink = FileSink(path: path, fileSystem: files)
    _ = await sink.deliver([event("a")])
    try files.remove(path)
    _ = await sink.deliver([event("b")])
    #expect(files.calls.filter { $0 == "syncFolder" }.count == 2)
  }

  /// A loss of power may leave zeros where pages were not written, in the midst of lines and before whole ones.
  @Test(arguments: [
    "\u{0}\u{0}", "{\"id\u{0}\u{0}\"}\n", "\u{0}\u{0}}\n{\"id\":\"late\"}\n", "{\"torn\":",
  ])
  func whatHasNoBytesIsCutOff(rest: String) async throws {
    let path = "\(folder.path)/events.jsonl"
    _ = await FileSink(path: path).deliver([event("a")])
    let kept = try PosixFileSystem().readWhole(path)
    try WholeFile.write(kept + Array(rest.utf8), to: path)
    #expect(await FileSink(path: path).deliver([event("b")]) == [.delivered(status: nil)])
    let lines = try PosixFileSystem().readWhole(path).split(separator: 0x0A)
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["a", "b"].map { event($0).json })
  }

  @Test func aNameThatDoesNotReachTheDiskIsNoDelivery() async {
    let files = WatchedFiles(failsFolders: true)
    let sink = FileSink(path: "\(folder.path)/events.jsonl", fileSystem: files)
    let outcome = await sink.deliver([event("a")]).first
    #expect(outcome?.isSettled == false)
  }
}

/// The machine's files, with a note of each sync.
private struct WatchedFiles: FileSystem {
  private let real = PosixFileSystem()
  private let noted = Lock<[String]>([])
  var failsFolders = false

  init(failsFolders: Bool = false) { self.failsFolders = failsFolders }

  var calls: [String] { noted.withLock { $0 } }

  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    try real.open(path, for: purpose)
  }
  func close(_ file: OpenFile) { real.close(file) }
  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    try real.write(bytes, to: file)
  }
  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    try real.read(file, into: buffer, at: offset)
  }
  func size(of file: OpenFile) throws(FileError) -> Int { try real.size(of: file) }
  func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try real.truncate(file, to: size)
  }
  func sync(_ file: OpenFile) throws(FileError) {
    noted.withLock { $0.append("sync \(file.path.split(separator: "/").last ?? "")") }
    try real.sync(file)
  }
  func syncFolder(_ path: String) throws(FileError) {
    noted.withLock { $0.append("syncFolder") }
    if failsFolders { throw FileError(operation: "fsync", path: path, code: 5) }
    try real.syncFolder(path)
  }
  func rename(_ path: String, to newPath: String) throws(FileError) {
    try real.rename(path, to: newPath)
  }
  func remove(_ path: String) throws(FileError) { try real.remove(path) }
  func removeFolder(_ path: String) throws(FileError) { try real.removeFolder(path) }
  func makeFolder(_ path: String) throws(FileError) -> Bool { try real.makeFolder(path) }
  func names(in path: String) throws(FileError) -> [String] { try real.names(in: path) }
  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    try real.moveUnnameable(from: path, to: target)
  }
}
