internal import Digests
public import Files
internal import Glibc

/// The folder that holds all of a service's data, with the names of what lies in it.
public struct DataDirectory: Hashable, Sendable {
  /// The folder's path, without a slash at its end.
  public let path: String

  /// The folder at `path`.
  public init(_ path: String) {
    var path = path.isEmpty ? "." : path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// The ledger's segments.
  public var ledger: String { "\(path)/ledger" }
  /// What was sent where, a folder per sink.
  public var relay: String { "\(path)/relay" }
  /// Snapshots, looks of open days, and what was cut off.
  public var state: String { "\(path)/state" }
  /// Looks of days that are not closed.
  public var looks: String { "\(state)/looks" }
  /// When users tend to do something; only a cache.
  public var habits: String { "\(state)/habits" }
  /// Which lines of the ledger are about whom; only a cache.
  public var index: String { "\(state)/index" }
  /// Up to where the last audit has proved the ledger.
  public var audit: String { "\(state)/audit" }
  /// The inbox: activity files from other programs.
  public var inbox: String { "\(path)/inbox" }
  /// Where other programs put files.
  public var incoming: String { "\(inbox)/incoming" }
  /// Files that were read.
  public var done: String { "\(inbox)/done" }
  /// Lines that were not accepted, with the reason.
  public var rejected: String { "\(inbox)/rejected" }
  /// The file that the one writer holds locked.
  public var lock: String { "\(path)/lock" }
  /// Whether the folder is one of a database, whose files are rows.
  public var isInDatabase: Bool { path.hasPrefix("postgres://") }

  /// The socket on which the writer takes requests: in the folder, or for one of a database among the machine's run-time files.
  public var controlSocket: String {
    guard isInDatabase else { return "\(path)/control.sock" }
    let sockets = runtimeSockets
    return sockets.first(where: Self.isTrusted)
      ?? sockets.first { access(FolderPath.parent(of: $0), W_OK) == 0 } ?? sockets[2]
  }

  /// The socket to which a command may be sent: nil where a stranger may have put the one that is there.
  public var trustedControlSocket: String? {
    isInDatabase ? runtimeSockets.first(where: Self.isTrusted) : controlSocket
  }

  /// Where the socket of a ledger in a database may be.
  private var runtimeSockets: [String] {
    let hash = SHA256.digest(of: Array(path.utf8)).description.prefix(16)
    // A service's own folder (systemd.exec(5), RuntimeDirectory), that of a login, or what everybody may write to.
    return ["/run/rewards", "/run/user/\(geteuid())", "/tmp"].map {
      "\($0)/rewards-\(hash).sock"
    }
  }

  /// Whether there is a socket that a stranger cannot have put there.
  private static func isTrusted(_ socket: String) -> Bool {
    var status = stat()
    guard lstat(socket, &status) == 0 else { return false }
    return status.st_uid == geteuid() || status.st_uid == 0
      || geteuid() == 0 && !socket.hasPrefix("/tmp/")
  }

  /// Stands in the folder while a backup is put back into it.
  public var restoring: String { "\(path)/restoring" }

  /// The folder of one sink.
  public func relay(sink: String) -> String { "\(relay)/\(sink)" }

  /// Whether a file at `path` would lie among those that nobody but this program writes.
  public func holds(_ path: String) -> Bool {
    let folder = Self.resolved(FolderPath.parent(of: path)) + "/"
    return [ledger, relay, state, inbox].contains { folder.hasPrefix(Self.resolved($0) + "/") }
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Whether this process runs as the owner of a folder.
  public static func isOwned(_ path: String) -> Bool {
    if WorkingFiles.areSubstituted || DataDirectory(path).isInDatabase { return true }
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == geteuid()
  }

  /// Makes every folder that is missing, and brings their names to the disk.
  public func create(in fileSystem: some FileSystem) throws(LedgerError) {
    do throws(FileError) {
      try make(in: fileSystem)
      for folder in [ledger, relay, state, inbox] { _ = try fileSystem.makeFolder(folder) }
      _ = try fileSystem.makeFolder(looks)
      for folder in [incoming, done, rejected] { _ = try fileSystem.makeFolder(folder) }
      // Also those that were there: whoever made them may have failed to bring their names to the disk.
      for folder in [path, state, inbox] { try fileSystem.syncFolder(folder) }
    } catch {
      throw LedgerError(error)
    }
  }

  /// Throws when what lies here must not be taken for a ledger: a backup, or one that is being put back.
  func requireWhole(in fileSystem: any FileSystem) throws(LedgerError) {
    if try has(restoring, fileSystem) {
      throw LedgerError(
        .refused, place: path, cause: "a backup is being put back here, or that was cut short",
        remedy: "if nobody is at it, repeat `rewards ledger restore DIR`, or `ledger import DIR`")
    }
    do {
      let backup = try BackupFolder.manifest(in: path, fileSystem)
      if backup != nil, backup?.madeAt == nil { throw BackupFolder.unfinished(path) }
    } catch {
      throw LedgerError(any: error)
    }
  }

  /// The same for whoever writes: nobody works in a backup.
  func requireNoBackup(in fileSystem: some FileSystem) throws(LedgerError) {
    if try has("\(path)/\(BackupManifest.name)", fileSystem) {
      throw LedgerError(
        .refused, place: path, cause: "this folder is a backup, in which nothing else is written",
        remedy: "put it back into an empty data folder: `rewards ledger restore \(path) --data DIR`"
      )
    }
  }

  /// The first thing that lies in the folder's parts but folders of its own; nil when there is nothing.
  func firstContent(in fileSystem: some FileSystem) throws -> String? {
    let own = Set([ledger, relay, state, looks, index, inbox, incoming, done, rejected])
    for folder in [ledger, relay, state, looks, index, inbox, incoming, done, rejected] {
      do throws(FileError) {
        let paths = try fileSystem.names(in: folder).sorted().map { "\(folder)/\($0)" }
        if let found = paths.first(where: { !own.contains($0) }) { return found }
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    return nil
  }

  /// Whether there is a file at `path`.
  func has(_ path: String, _ fileSystem: some FileSystem) throws(LedgerError) -> Bool {
    do throws(FileError) {
      fileSystem.close(try fileSystem.open(path, for: .read))
      return true
    } catch {
      if error.isMissing { return false }
      throw LedgerError(error)
    }
  }

  private func make(in fileSystem: some FileSystem) throws(FileError) {
    let isNew = try fileSystem.makeFolder(path)
    do throws(FileError) {
      try fileSystem.syncFolder(FolderPath.parent(of: path))
    } catch {
      // Who may not read the folder above has been given this one, on the disk.
      if isNew || error.code != EACCES { throw error }
    }
  }
}
