import Foundations
import TestSupport
import Testing

@testable import simulation

/// What a simulated disk keeps when the power is lost.
@Suite(.offThePool) struct DiskStateTests {
  private func outcomes(_ write: (inout DiskState) -> Void) -> Set<String?> {
    var found: Set<String?> = []
    for seed in 0..<200 as Range<UInt64> {
      var disk = DiskState()
      disk.makeFolder("/a")
      disk.syncFolder("/")
      write(&disk)
      var random = SplitMix64(seed: seed)
      disk.losePower(&random)
      found.insert(disk.names["/a/x"].map { String(decoding: disk[$0].bytes, as: UTF8.self) })
    }
    return found
  }

  @Test func whatWasSyncedStays() {
    let found = outcomes { disk in
      _ = disk.makeSynced("/a/x", "ab")
      disk.syncFolder("/a")
    }
    #expect(found == ["ab"])
  }

  @Test func aNameWhoseFolderWasNotSyncedMayBeGone() {
    let found = outcomes { disk in _ = disk.makeSynced("/a/x", "ab") }
    #expect(found == ["ab", nil])
  }

  @Test func bytesThatWereNotSyncedMayBeThereOrNotOrTornOrZeros() {
    let found = outcomes { disk in
      let file = disk.makeSynced("/a/x", "ab")
      disk.syncFolder("/a")
      disk.append("cd".utf8, to: file)
    }
    #expect(found == ["ab", "abc", "abcd", "ab\0\0"])
  }

  @Test func aRenameIsWholeOrNotAtAll() {
    let found = outcomes { disk in
      for (name, text) in [("/a/x", "old"), ("/a/y", "new")] {
        _ = disk.makeSynced(name, text)
      }
      disk.syncFolder("/a")
      _ = disk.rename("/a/y", to: "/a/x")
    }
    #expect(found == ["old", "new"])
  }

  @Test func whatWasCutOffMayComeBackUnlessThatWasSynced() {
    let found = outcomes { disk in
      let file = disk.makeSynced("/a/x", "abcd")
      disk.syncFolder("/a")
      disk.truncate(file, to: 2)
    }
    #expect(found == ["abcd", "ab"])
  }
}

extension DiskState {
  /// Makes a file with this text and brings its bytes to the disk, not its name.
  fileprivate mutating func makeSynced(_ path: String, _ text: String) -> FileNumber {
    let file = make(path)
    append(text.utf8, to: file)
    sync(file)
    return file
  }
}
