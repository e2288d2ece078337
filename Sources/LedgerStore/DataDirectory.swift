internal import Digests
package import Foundations
internal import Glibc

/// The folder that holds all of a service's data, and the names of its files and subfolders.
package struct DataDirectory: Sendable {
  /// The folder's path, without a trailing slash.
  package let path: String
  /// The file system that contains it.
  package let files: any FileSystem

  /// Creates a reference to the folder at `path`, on the machine's own file system unless another is given.
  package init(_ path: String, in files: any FileSystem = PosixFileSystem()) {
    self.files = files
    var path = path.isEmpty ? "." : path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// The ledger's segments.
  package var ledger: String { "\(path)/ledger" }
  /// Delivery state: one folder per sink.
  package var relay: String { "\(path)/relay" }
  /// Snapshots, polls of open days, and bytes that were cut off.
  package var state: String { "\(path)/state" }
  /// Polls of days that are not closed.
  package var looks: String { "\(state)/looks" }
  /// When users tend to act; only a cache.
  package var habits: String { "\(state)/habits" }
  /// Which ledger lines concern which user; only a cache.
  package var index: String { "\(state)/index" }
  /// How far the last audit has proved the ledger.
  package var audit: String { "\(state)/audit" }
  /// The inbox: activity files from other programs.
  package var inbox: String { "\(path)/inbox" }
  /// Where people drop their files.
  package var incoming: String { inbox(of: nil).incoming }
  /// Files that have been read.
  package var done: String { inbox(of: nil).done }
  /// Rejected lines, with the reason.
  package var rejected: String { inbox(of: nil).rejected }
  /// Returns the inbox of a configured source; with nil, that of the hand.
  package func inbox(of source: String?) -> InboxPaths {
    InboxPaths(path: source.map { "\(inbox)/\($0)" } ?? inbox)
  }
  /// The file that the one writer keeps locked.
  package var lock: String { "\(path)/lock" }
  /// Whether the folder belongs to a database, whose files are rows.
  package var isInDatabase: Bool { path.hasPrefix("postgres://") }

  /// The socket on which the writer accepts requests: inside the folder, or among the machine's run-time files for a
  /// ledger in a database.
  package var controlSocket: String {
    guard isInDatabase else { return "\(path)/control.sock" }
    let sockets = runtimeSockets
    return sockets.first(where: Self.isTrusted)
      ?? sockets.first { access(FolderPath.parent(of: $0), W_OK) == 0 } ?? sockets[2]
  }

  /// Whether this account may write the ledger; true where it is still to be made, and for a database, which decides by itself.
  package var isWritable: Bool {
    isInDatabase || access(lock, W_OK) == 0 || errno != EACCES
  }

  /// The socket that commands may use; nil if a stranger could have created the one that exists.
  package var trustedControlSocket: String? {
    guard isInDatabase else { return controlSocket }
    let sockets = runtimeSockets
    return sockets.first(where: Self.isTrusted)
      ?? sockets.first { $0.hasPrefix("\(Self.serviceFolder)/") && Self.isKept($0) }
  }

  /// Whether other accounts trust the control socket: it lies where only the service and root can put one.
  package var isControlSocketShared: Bool {
    !isInDatabase || controlSocket.hasPrefix("\(Self.serviceFolder)/")
  }

  /// A service's own folder among the machine's run-time files (systemd.exec(5), `RuntimeDirectory`). Only root can make it.
  private static let serviceFolder = "/run/rewards"

  /// The possible sockets of a ledger in a database.
  private var runtimeSockets: [String] {
    let hash = SHA256.digest(of: Array(path.utf8)).description.prefix(16)
    // A service's own folder, a login's, or a world-writable one.
    return [Self.serviceFolder, "/run/user/\(geteuid())", "/tmp"].map {
      "\($0)/rewards-\(hash).sock"
    }
  }

  /// Returns whether there is a socket and no stranger can have created it.
  private static func isTrusted(_ socket: String) -> Bool {
    var status = stat()
    guard lstat(socket, &status) == 0 else { return false }
    return status.st_uid == geteuid() || status.st_uid == 0
      || geteuid() == 0 && !socket.hasPrefix("/tmp/")
  }

  /// Returns whether there is a socket that only its owner and root can have put into its folder.
  static func isKept(_ socket: String) -> Bool {
    var (status, folder) = (stat(), stat())
    guard lstat(socket, &status) == 0, lstat(FolderPath.parent(of: socket), &folder) == 0 else {
      return false
    }
    return status.st_mode & S_IFMT == S_IFSOCK && folder.st_mode & S_IFMT == S_IFDIR
      && folder.st_mode & 0o022 == 0 && (folder.st_uid == status.st_uid || folder.st_uid == 0)
  }

  /// A marker file that exists while a backup is being restored into the folder.
  package var restoring: String { "\(path)/restoring" }

  /// The names of the files in a sink's folder.
  package enum SinkFile {
    /// How far the sink has come.
    package static let progress = "progress.json"
    /// Events that were given up.
    package static let deadLetters = "dead\(linesEnd)"
    /// The start of the name of a day's attempts; the day and ``linesEnd`` follow.
    package static let attemptsStart = "attempts-"
    /// The end of the names of files of JSON lines.
    package static let linesEnd = ".jsonl"
  }

  /// Returns the folder of one sink.
  package func relay(sink: String) -> String { "\(relay)/\(sink)" }

  /// Returns whether a file at `path` would lie among those that only this program writes.
  package func holds(_ path: String) -> Bool {
    let folder = Self.resolved(FolderPath.parent(of: path)) + "/"
    return [ledger, relay, state, inbox].contains { folder.hasPrefix(Self.resolved($0) + "/") }
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Creates every missing folder and syncs their names to disk.
  package func create() throws(LedgerError) {
    do throws(FileError) {
      try make()
      for folder in [ledger, relay, state, inbox] { _ = try files.makeFolder(folder) }
      _ = try files.makeFolder(looks)
      for folder in inbox(of: nil).folders { _ = try files.makeFolder(folder) }
      // Existing folders too: their creator may have failed to sync their names.
      for folder in [path, state, inbox] { try files.syncFolder(folder) }
    } catch {
      throw LedgerError(error)
    }
  }

  /// Creates the missing folders of a configured source's inbox.
  package func create(inboxOf source: String) throws(LedgerError) {
    do throws(FileError) {
      let paths = inbox(of: source)
      for folder in [paths.path] + paths.folders { _ = try files.makeFolder(folder) }
      for folder in [inbox, paths.path] { try files.syncFolder(folder) }
    } catch {
      throw LedgerError(error)
    }
  }

  /// Returns every inbox that there is: the hand's, then those of sources by name, configured or not; without those of `known`
  /// sources.
  package func inboxes(besides known: Set<String> = []) throws(FileError) -> [InboxPaths] {
    let passedOver = known.union(["incoming", "done", "rejected"])
    var found = [inbox(of: nil)]
    for name in try files.names(in: inbox).sorted() where !passedOver.contains(name) {
      let paths = inbox(of: name)
      do throws(FileError) {
        _ = try files.names(in: paths.incoming)
      } catch {
        // One that cannot be read is one too: whoever needs it finds out.
        if error.isMissing || error.code == ENOTDIR { continue }
      }
      found.append(paths)
    }
    return found
  }

  /// Throws if the folder's contents must not be taken for a ledger: a backup, or one that is being restored.
  func requireWhole() throws(LedgerError) {
    if try has(restoring) {
      throw LedgerError(
        .refused, place: path,
        cause: "a backup is being restored here, or a restore was interrupted",
        remedy:
          "if no restore is running, repeat `rewards ledger restore DIR` or `ledger import DIR`")
    }
    do {
      let backup = try BackupFolder.manifest(in: path, files)
      if backup != nil, backup?.madeAt == nil { throw BackupFolder.unfinished(path) }
    } catch {
      throw LedgerError(any: error)
    }
  }

  /// Throws if the folder holds a backup: nothing may write there.
  func requireNoBackup() throws(LedgerError) {
    if try has("\(path)/\(BackupManifest.name)") {
      throw LedgerError(
        .refused, place: path, cause: "this folder is a backup; nothing else may write to it",
        remedy: "restore it into an empty data folder: `rewards ledger restore \(path) --data DIR`"
      )
    }
  }

  /// Returns the first entry of the folder's parts that is not one of its own folders; nil if there is none.
  func firstContent() throws -> String? {
    var folders = [ledger, relay, state, looks, index, inbox]
    do throws(FileError) {
      folders += try inboxes().flatMap { [$0.path] + $0.folders }
    } catch {
      guard error.isMissing else { throw error }
    }
    let own = Set(folders)
    for folder in folders {
      do throws(FileError) {
        let paths = try files.names(in: folder).sorted().map { "\(folder)/\($0)" }
        if let found = paths.first(where: { !own.contains($0) }) { return found }
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    return nil
  }

  /// Returns whether there is a file at `path`.
  func has(_ path: String) throws(LedgerError) -> Bool {
    do throws(FileError) {
      files.close(try files.open(path, for: .read))
      return true
    } catch {
      if error.isMissing { return false }
      throw LedgerError(error)
    }
  }

  private func make() throws(FileError) {
    let isNew = try files.makeFolder(path)
    do throws(FileError) {
      try files.syncFolder(FolderPath.parent(of: path))
    } catch {
      // Without permission to read the parent, this folder was given to us and is already on disk.
      if isNew || error.code != EACCES { throw error }
    }
  }
}

/// The folders of one inbox.
package struct InboxPaths: Sendable {
  /// The folder that holds them.
  package let path: String
  /// Where files arrive.
  package var incoming: String { "\(path)/incoming" }
  /// Files that have been read.
  package var done: String { "\(path)/done" }
  /// Rejected lines, with the reason.
  package var rejected: String { "\(path)/rejected" }
  /// All three.
  package var folders: [String] { [incoming, done, rejected] }
}
