package import Configuration
import Foundations
internal import Glibc
import LedgerStore

/// Checks that the members of `control.group` can command a service: whether they may read what they need, and cannot read its secrets.
package struct GroupCheckup: Sendable {
  private let configuration: Configuration
  private let secrets: [String]

  /// Creates a checkup of this configuration; `secrets` are the files that no operator may read.
  package init(_ configuration: Configuration, secrets: [String]) {
    self.configuration = configuration
    self.secrets = secrets
  }

  /// Returns what was found; nil without a configured group. Blocks.
  package func finding() -> DoctorFinding? {
    guard let name = configuration.control.group else { return nil }
    guard let group = CallingAccount.group(named: name) else {
      return Self.finding(
        .failed, "this machine has no group \(name)",
        "run groupadd --system \(name), then usermod --append --groups \(name) ACCOUNT for each operator"
      )
    }
    return exposure(to: group, name) ?? obstacle(to: group, name) ?? Self.operators(in: group, name)
  }

  /// Returns that members may read a secret; nil if they may read none.
  private func exposure(to group: AccountGroup, _ name: String) -> DoctorFinding? {
    let open = secrets.first { file in
      guard let status = Self.status(of: file) else { return false }
      return status.st_gid == group.number && status.st_mode & 0o040 != 0
    }
    return open.map { file in
      Self.finding(
        .failed, "members of \(name) may read the secrets in \(file)",
        "give operators a group that cannot: rewards help operations")
    }
  }

  /// Returns what keeps members from commanding the service; nil if nothing does.
  private func obstacle(to group: AccountGroup, _ name: String) -> DoctorFinding? {
    if let file = configuration.file {
      if let folder = Self.closedFolder(above: file, to: group) { return Self.closed(folder, name) }
      if !Self.allows(0o4, on: file, to: group) {
        return Self.finding(
          .failed, "members of \(name) cannot read \(file)", "run chmod a+r \(file)")
      }
    }
    let directory = configuration.directory
    if directory.isInDatabase {
      if CallingAccount.mayGive(to: group.number) { return nil }
      let account = CallingAccount.own
      return Self.finding(
        .failed, "\(account) is not in the group \(name), so its control socket stays closed",
        "run usermod --append --groups \(name) \(account), then start the service again")
    }
    guard access(directory.path, F_OK) == 0 else { return nil }
    if let folder = Self.closedFolder(above: directory.path, to: group) {
      return Self.closed(folder, name)
    }
    guard let path = Self.unshared(in: directory, group) else { return nil }
    let data = directory.path
    return Self.finding(
      .failed, "members of \(name) cannot read \(path), or what the service will write there",
      "run chgrp -R \(name) \(data) && chmod -R g+rX \(data) && find \(data) -type d -exec chmod g+s {} +"
    )
  }

  private static func closed(_ folder: String, _ name: String) -> DoctorFinding {
    finding(.failed, "members of \(name) cannot pass through \(folder)", "run chmod a+x \(folder)")
  }

  /// Returns who can command the service.
  private static func operators(in group: AccountGroup, _ name: String) -> DoctorFinding {
    guard !group.members.isEmpty else {
      return finding(
        .attention, "the group \(name) lists no members",
        "run usermod --append --groups \(name) ACCOUNT for each operator; it counts from their next login"
      )
    }
    let more = group.members.count > 5 ? " and \(group.members.count - 5) more" : ""
    return finding(.well, "\(name): \(group.members.prefix(5).joined(separator: ", "))\(more)")
  }

  /// Returns the first part of a data folder that the members of a group cannot read, or in which new files would not be theirs to read.
  private static func unshared(in directory: DataDirectory, _ group: AccountGroup) -> String? {
    let folders = [
      directory.path, directory.ledger, directory.relay, directory.state, directory.looks,
    ]
    if let folder = folders.first(where: { !isShared(folder: $0, with: group) }) { return folder }
    let names = (try? directory.files.names(in: directory.ledger)) ?? []
    return names.sorted().map { "\(directory.ledger)/\($0)" }
      .first { !allows(0o4, on: $0, to: group) }
  }

  /// Returns whether the members of a group may read a folder, and new files in it belong to the group. One that is still to be made does.
  private static func isShared(folder: String, with group: AccountGroup) -> Bool {
    guard let status = status(of: folder) else { return true }
    guard status.st_gid == group.number, status.st_mode & 0o050 == 0o050 else { return false }
    let setsGroup: mode_t = 0o2000
    if status.st_mode & setsGroup != 0 { return true }
    return CallingAccount.numbers(of: CallingAccount.name(of: status.st_uid))?.group
      == group.number
  }

  /// Returns the folder that keeps the members of a group from what is at `path`; nil if none does.
  private static func closedFolder(above path: String, to group: AccountGroup) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    var folder = String(cString: real)
    while folder != "/" {
      folder = FolderPath.parent(of: folder)
      if !allows(0o1, on: folder, to: group) { return folder }
    }
    return nil
  }

  /// Returns whether the permissions of what is at `path` hold all of `bits` for the members of a group; true if nothing is there.
  private static func allows(_ bits: mode_t, on path: String, to group: AccountGroup) -> Bool {
    guard let status = status(of: path) else { return true }
    let wanted = status.st_gid == group.number ? bits << 3 : bits
    return status.st_mode & wanted == wanted
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private static func finding(
    _ state: DoctorFinding.State, _ what: String, _ remedy: String? = nil
  ) -> DoctorFinding {
    DoctorFinding("control group", state, what, remedy: remedy)
  }
}
