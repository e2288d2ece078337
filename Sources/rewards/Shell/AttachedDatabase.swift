import Configuration
import Files
import LedgerDatabase
import Operations
import PostgreSQL
import Threading

/// The database that the configured data folder lies in, in reach of everything that works with files.
enum AttachedDatabase {
  private static let current = Lock<(pool: DatabasePool, files: DatabaseFiles)?>(nil)
  /// The last log that was given, and from when on it is told again what the server warns of.
  private static let log = Lock<(log: Log?, nextWarning: Double)>((nil, 0))
  private static let warnEverySeconds = 60.0

  /// Connections to the attached database; nil while there is none.
  static var pool: DatabasePool? { current.withLock { $0?.pool } }
  /// What time it is there; nil while there is none.
  static var time: DatabaseTime? { current.withLock { $0?.files.clock } }

  /// Where `data` is the address of a database, puts its files in reach and the path of a share, the first when nil, in its place:
  /// that holds no password.
  static func attach(
    _ configuration: inout Configuration, as share: LedgerShare?, worker: String, log: Log
  ) throws(ConfigurationError) {
    self.log.withLock { $0.log = log }
    guard DatabaseAddress.isMeant(by: configuration.data) else { return }
    let address: DatabaseAddress
    do throws(DatabaseError) {
      address = try DatabaseAddress(configuration.data)
    } catch {
      throw .invalid([
        ConfigurationProblem(place: "configuration", path: "data", what: error.message)
      ])
    }
    let files = current.withLock { current -> DatabaseFiles in
      // A command asks for the configuration more than once, and for each of several ledgers.
      if let current, current.pool.address == address { return current.files }
      let pool = DatabasePool(address) { tell($0) }
      let files = DatabaseFiles(pool, worker: worker, time: .machine)
      WorkingFiles.mount(files, at: files.root)
      current = (pool, files)
      return files
    }
    configuration.data = files.folder(ofShard: Int64(share?.number ?? 0))
    configuration.take(share)
  }

  /// Logs what the server warns of, once a minute: it may do so with each statement.
  private static func tell(_ warning: String) {
    let now = WorkerTime.machine.now()
    let log = log.withLock { state in
      guard now >= state.nextWarning else { return nil as Log? }
      state.nextWarning = now + warnEverySeconds
      return state.log
    }
    log?.warning("the database warns", ["words": .text(warning)])
  }

  /// An attached configuration as another one of its database's ledgers has it.
  static func configuration(_ configuration: Configuration, of share: LedgerShare) -> Configuration
  {
    var own = configuration
    own.data = "\(FolderPath.parent(of: configuration.data))/\(share.number)"
    own.take(share)
    return own
  }
}
