internal import Glibc

/// The machine's accounts, as records of manual acts name them.
///
/// The name comes from the kernel, not from an environment variable, which anyone could set.
package enum CallingAccount {
  /// The account that this process runs as.
  package static var own: String { name(of: getuid()) }

  /// Returns the numbers of the account of this name and of its group; nil when the machine has none. Reads the account database. Blocks.
  package static func numbers(of name: String) -> (user: UInt32, group: UInt32)? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var room = [CChar](repeating: 0, count: 16_384)
    guard getpwnam_r(name, &entry, &room, room.count, &found) == 0, found != nil else { return nil }
    return (entry.pw_uid, entry.pw_gid)
  }

  /// Returns the number of the group of this name; nil when the machine has none. Reads the group database. Blocks.
  package static func group(named name: String) -> UInt32? {
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var room = [CChar](repeating: 0, count: 65_536)
    guard getgrnam_r(name, &entry, &room, room.count, &found) == 0, found != nil else { return nil }
    return entry.gr_gid
  }

  /// Returns whether the account with this number may do what the one of this process may: it is the same, or root.
  package static func isOwn(_ user: UInt32) -> Bool { user == getuid() || user == 0 }

  /// Returns the name of the account with this number, or `uid N` when the machine knows none.
  ///
  /// Reads the account database. Blocks.
  package static func name(of user: UInt32) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var room = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(user, &entry, &room, room.count, &found) == 0, found != nil,
      let name = entry.pw_name
    else { return "uid \(user)" }
    return String(cString: name)
  }
}
