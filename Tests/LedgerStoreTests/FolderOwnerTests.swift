import Foundations
import Glibc
import LedgerStore
import TestSupport
import Testing

/// What root does in the service's folder leaves nothing that the service cannot write.
@Suite(.offThePool, .enabled(if: geteuid() == 0)) struct FolderOwnerTests {
  private func owner(of path: String) -> [UInt32] {
    var status = stat()
    return lstat(path, &status) == 0 ? [status.st_uid, status.st_gid] : []
  }

  @Test func whatRootMakesBelongsToTheFoldersOwner() throws {
    let folder = try TemporaryFolder()
    let service: (uid: uid_t, gid: gid_t) = (10_001, 10_002)
    #expect(chown(folder.path, service.uid, service.gid) == 0)
    let files = PosixFileSystem()
    #expect(try files.makeFolder("\(folder.path)/data"))
    for (name, purpose) in [("a", FilePurpose.append), ("b", .publish), ("c", .replace)] {
      files.close(try files.open("\(folder.path)/data/\(name)", for: purpose))
    }
    let lock = try WriterLock(DataDirectory("\(folder.path)/data"), command: "a test")
    for name in ["data", "data/a", "data/b", "data/c", "data/lock"] {
      #expect(owner(of: "\(folder.path)/\(name)") == [service.uid, service.gid], "\(name)")
    }
    withExtendedLifetime(lock) {}
    // What the administrator has made and the service owns stays as it is; what is somebody else's too.
    #expect(chown("\(folder.path)/data/a", 10_003, 10_003) == 0)
    files.close(try files.open("\(folder.path)/data/a", for: .append))
    #expect(owner(of: "\(folder.path)/data/a") == [10_003, 10_003])
  }
}
