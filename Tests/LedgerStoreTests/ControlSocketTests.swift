import Glibc
import TestSupport
import Testing

@testable import LedgerStore

/// Which control sockets commands trust, and who may write without a service.
@Suite(.offThePool) struct ControlSocketTests {
  @Test(arguments: [(UInt32(0o755), true), (0o750, true), (0o770, false), (0o757, false)])
  func aSocketIsKeptWhereOnlyItsOwnerWrites(mode: UInt32, isKept: Bool) throws {
    let place = try TemporaryFolder()
    let socket = "\(place.path)/control.sock"
    #expect(!DataDirectory.isKept(socket))
    #expect(mknod(socket, S_IFSOCK | 0o600, 0) == 0)
    #expect(chmod(place.path, mode) == 0)
    #expect(DataDirectory.isKept(socket) == isKept)
  }

  @Test func whatOnlyLooksLikeASocketIsNot() throws {
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    #expect(mknod("\(place.path)/socket", S_IFSOCK | 0o600, 0) == 0)
    #expect(symlink("\(place.path)/socket", "\(place.path)/link") == 0)
    #expect(!DataDirectory.isKept("\(place.path)/link"))
    let file = try place.write("file", "")
    #expect(!DataDirectory.isKept(file))
    // A folder behind a link can be another one the next time.
    let other = try TemporaryFolder()
    #expect(symlink(place.path, "\(other.path)/folder") == 0)
    #expect(!DataDirectory.isKept("\(other.path)/folder/socket"))
  }

  /// Root may write everywhere.
  @Test(.enabled(if: geteuid() != 0))
  func aLockThatOneMayNotWriteMakesReaders() throws {
    let place = try TemporaryFolder()
    let directory = DataDirectory(place.path)
    #expect(directory.isWritable)
    try place.write("lock", "", mode: 0o440)
    #expect(!directory.isWritable)
    #expect(chmod("\(place.path)/lock", 0o640) == 0)
    #expect(directory.isWritable)
  }
}
