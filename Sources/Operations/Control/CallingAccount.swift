internal import Glibc

/// The machine's accounts, as records of manual acts name them.
///
/// The name comes from the kernel, not from an environment variable, which anyone could set.
package enum CallingAccount {
  /// The account that this process runs as.
  package static var own: String { name(of: getuid()) }

  /// Whether the machine has an account of this name. Reads the account database. Blocks.
  package static func exists(_ name: String) -> Bool {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var room = [CChar](repeating: 0, count: 16_384)
    return getpwnam_r(name, &entry, &room, room.count, &found) == 0 && found != nil
  }

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
