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

  /// Returns the group of this name; nil when the machine has none. Reads the group database. Blocks.
  package static func group(named name: String) -> AccountGroup? {
    var size = 16_384
    while size <= 1 << 24 {
      let room = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { room.deallocate() }
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let code = getgrnam_r(name, &entry, room, size, &found)
      if code == 0, found != nil { return AccountGroup(entry) }
      // Groups of many members need more room.
      guard code == ERANGE else { return nil }
      size *= 4
    }
    return nil
  }

  /// Returns whether this process may give its files to the group with this number: it is a member, or root.
  package static func mayGive(to group: UInt32) -> Bool {
    if geteuid() == 0 || getegid() == group { return true }
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return groups.prefix(Int(max(0, count))).contains(group)
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

/// A group of the machine's accounts.
package struct AccountGroup: Equatable, Sendable {
  /// The group's number.
  package let number: UInt32
  /// The accounts that the group database lists as its members; without those whose own group it is.
  package let members: [String]

  /// Copies an entry of the group database.
  fileprivate init(_ entry: Glibc.group) {
    number = entry.gr_gid
    var members: [String] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = entry.gr_mem
    while let place = next, let name = place.pointee {
      members.append(String(cString: name))
      next = place + 1
    }
    self.members = members
  }
}
