import Configuration
import Failures
import Files
import Glibc
import PostgreSQL
import Threading

/// How commands about the database itself reach it.
enum StoreAccess {
  /// Connections to the database that is configured as `data`.
  static func pool(_ context: CommandContext) throws -> DatabasePool {
    let configuration = try context.configuration()
    guard let pool = AttachedDatabase.pool else {
      throw Failure(
        .configuration, "the data folder \(configuration.data) lies in no database", place: "data",
        remedy: "Name one as data: postgres://USER@HOST/DATABASE.")
    }
    return pool
  }

  /// Asks the database on a thread of its own.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    do {
      return try await BlockingThread(named: "rewards.store").run(body)
    } catch let error as DatabaseError {
      throw error.failure.placed(at: AttachedDatabase.pool?.address.name)
    } catch let error as FileError where error.code == EAGAIN {
      throw Failure(
        .tryAgain, "the ledger is held by \(error.operation)",
        place: AttachedDatabase.pool?.address.name,
        remedy: "Stop the service, and whoever stands by to take over, and try again.")
    }
  }
}
