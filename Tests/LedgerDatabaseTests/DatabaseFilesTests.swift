import Foundations
import Glibc
import LedgerDatabase
import TestSupport
import Testing

/// Rows in the place of files: what every caller of files relies on.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct DatabaseFilesTests {
  private let place: DatabasePlace
  private let files: DatabaseFiles

  init() throws {
    place = try DatabasePlace()
    files = place.makeFiles()
  }

  private func path(_ name: String) -> String { "\(place.folder)/\(name)" }

  @Test func aFileIsWrittenReadCutAndRenamed() throws {
    let held = try files.holdLock(of: path("lock"))
    let name = path("state/a")
    try files.createDurably(
      name, in: path("state"), [Array("hello ".utf8), Array("world".utf8)])
    #expect(try files.readWhole(name) == Array("hello world".utf8))
    #expect(try files.names(in: path("state")) == ["a"])
    let file = try files.open(name, for: .append)
    try files.writeAll(Array("!".utf8), to: file)
    #expect(try files.size(of: file) == 12)
    try files.sync(file)
    try files.truncate(file, to: 8)
    files.close(file)
    #expect(try files.readWhole(name) == Array("hello wo".utf8))
    try files.rename(name, to: path("state/b"))
    #expect(try files.readWholeIfPresent(name) == nil)
    #expect(try files.readWhole(path("state/b")) == Array("hello wo".utf8))
    try files.remove(path("state/b"))
    #expect(try files.names(in: path("state")).isEmpty)
    #expect(held != nil)
  }

  @Test func aFolderIsRenamedWithWhatIsInIt() throws {
    let held = try files.holdLock(of: path("lock"))
    try files.replace(path("relay/a_b/one"), with: [[1]])
    try files.replace(path("relay/aXb/two"), with: [[2]])
    try files.rename(path("relay/a_b"), to: path("relay/c"))
    #expect(try Set(files.names(in: path("relay"))) == ["c", "aXb"])
    #expect(try files.readWhole(path("relay/c/one")) == [1])
    #expect(held != nil)
  }

  @Test func nobodyWritesWithoutTheLease() throws {
    let other = place.makeFiles()
    #expect { try other.replace(path("state/a"), with: [[1]]) } throws: {
      ($0 as? FileError)?.code == EROFS
    }
    // What comes from outside is everybody's.
    try other.replace(path("inbox/incoming/a.jsonl"), with: [[1]])
    #expect(try files.names(in: path("inbox/incoming")) == ["a.jsonl"])
  }

  @Test func aSecondWorkerIsRefusedAndToldWhoHasTheLease() throws {
    let held = try files.holdLock(of: path("lock"))
    let other = place.makeFiles()
    #expect { try other.holdLock(of: path("lock")) } throws: {
      let error = $0 as? FileError
      return error?.code == EAGAIN && error?.operation == "worker"
    }
    #expect(held != nil)
  }

  /// As a doctor does that the service itself runs: its lease is not touched.
  @Test func theSameProcessIsRefusedToo() throws {
    let held = try files.holdLock(of: path("lock"))
    #expect { _ = try files.holdLock(of: path("lock")) } throws: {
      ($0 as? FileError)?.code == EAGAIN
    }
    try files.replace(path("state/a"), with: [[1]])
    #expect(held?.isLost == false)
  }

  @Test func aLeaseThatWasGivenBackIsFreeAtOnce() throws {
    var held = try files.holdLock(of: path("lock"))
    #expect(held != nil)
    held = nil
    let next = try place.makeFiles().holdLock(of: path("lock"))
    #expect(next != nil)
  }
}
