import Configuration
import Failures
import Foundations
import Glibc
import LedgerDatabase
import Operations

/// The database that holds the configured ledgers: connections to it, and its rows in place of files.
struct AttachedDatabase: Sendable {
  private static let warnEverySeconds = 60.0

  /// Connections to the database.
  let pool: DatabasePool
  private let rows: DatabaseFiles
  /// The machine's files, with the rows beside them.
  private let files: any FileSystem

  /// The database's time, known once the database has been asked.
  var time: DatabaseTime { rows.clock }

  /// Creates the database whose address the configuration has as `data`; nil where that is a folder. `worker` identifies this process to
  /// others while it holds a ledger. Does not connect yet.
  init?(
    of configuration: Configuration, worker: String, log: Log
  ) throws(ConfigurationError) {
    guard DatabaseAddress.isMeant(by: configuration.data) else { return nil }
    let address: DatabaseAddress
    do throws(DatabaseError) {
      address = try DatabaseAddress(configuration.data)
    } catch {
      throw .invalid([
        ConfigurationProblem(place: "configuration", path: "data", what: error.message)
      ])
    }
    let nextWarning = Lock(0.0)
    pool = DatabasePool(address) { warning in
      // A server may send a warning with every statement.
      let now = WorkerTime.machine.now()
      let isDue = nextWarning.withLock { next in
        if now < next { return false }
        next = now + Self.warnEverySeconds
        return true
      }
      if isDue { log.warning("the database warns", ["words": .text(warning)]) }
    }
    rows = DatabaseFiles(pool, worker: worker, time: .machine)
    files = MountedFiles(base: configuration.files, root: rows.root, files: rows)
  }

  /// Returns a configuration for one of the database's ledgers, or for its only one when `shardID` is nil; its `data` holds no password.
  func configuration(_ configuration: Configuration, of shardID: ShardID?) -> Configuration {
    var own = configuration
    own.data = rows.folder(ofShard: Int64(shardID?.number ?? 0))
    own.files = files
    own.apply(shardID)
    return own
  }

  /// Queries the database on a thread of its own.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (DatabasePool) throws -> Result
  ) async throws -> Result {
    do {
      return try await BlockingThread(named: "rewards.store").run { [pool] in try body(pool) }
    } catch let error as DatabaseError {
      throw error.failure.placed(at: pool.address.name)
    } catch let error as FileError where error.code == EAGAIN {
      throw Failure(
        .tryAgain, "\(error.operation) holds the ledger", place: pool.address.name,
        remedy: "Stop the service and all standbys, and try again.")
    }
  }
}
