internal import Glibc

/// The accounts of the machine, as the records of people's acts name them.
///
/// The kernel's word, not an environment variable's, which anybody may set.
public enum CallingAccount {
  /// The account that this process runs for.
  public static var own: String { name(of: getuid()) }

  /// Whether the machine has an account of this name. Reads the account database: blocks.
  public static func exists(_ name: String) -> Bool {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var room = [CChar](repeating: 0, count: 16_384)
    return getpwnam_r(name, &entry, &room, room.count, &found) == 0 && found != nil
  }

  /// The name of the account with this number; `uid N` when the machine knows none.
  ///
  /// Reads the account database: blocks.
  public static func name(of user: UInt32) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var room = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(user, &entry, &room, room.count, &found) == 0, found != nil,
      let name = entry.pw_name
    else { return "uid \(user)" }
    return String(cString: name)
  }
}
