internal import Foundations

/// A pool of connections to one server, each lent to one caller at a time; broken ones are not reused. Blocks: never on the
/// cooperative pool.
///
/// There are never more than ``size``, one of them reserved for urgent callers. Callers wait if none is free.
package final class DatabasePool: Sendable {
  /// The server.
  package let address: DatabaseAddress
  /// The time limit in seconds for connecting, and for each statement or group of statements.
  package let limitSeconds: Double
  /// The maximum number of connections per process.
  package static let size = 8
  private let slots = ConnectionSlots(size)
  private let idle = Lock<[IdleConnection]>([])
  private let warn: @Sendable (String) -> Void

  /// Creates a pool without connecting. `warn` receives the server's warnings, even repeated ones.
  package init(
    _ address: DatabaseAddress, limitSeconds: Double = 20,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.address = address
    self.limitSeconds = limitSeconds
    self.warn = warn
  }

  /// Runs `body` once, with a connection that has no open transaction, and takes the connection back.
  ///
  /// `body` must not request another connection. An urgent call does not wait for others' work. Throws `53300` if no connection
  /// becomes free within `patienceSeconds`, or ``limitSeconds``.
  package func withConnection<Result>(
    isUrgent: Bool = false, patienceSeconds: Double? = nil,
    _ body: (DatabaseConnection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let patience = patienceSeconds ?? limitSeconds
    guard slots.acquire(isUrgent: isUrgent, within: patience) else {
      throw DatabaseError(
        state: "53300",
        message: "no connection became free within \(Int(patience)) s; "
          + "this process uses at most \(Self.size)")
    }
    defer { slots.release() }
    while let known = takeIdle() {
      if !known.hasUnsolicitedInput { return try lend(known, body) }
    }
    return try lend(DatabaseConnection(address, within: limitSeconds, warn: warn), body)
  }

  private func lend<Result>(
    _ connection: DatabaseConnection, _ body: (DatabaseConnection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    defer {
      if connection.isUsable, !connection.isIdle { connection.rollBack(within: limitSeconds) }
      if connection.isIdle {
        let box = IdleConnection(connection: connection)
        idle.withLock { $0.append(box) }
      }
    }
    return try body(connection)
  }

  private func takeIdle() -> DatabaseConnection? { idle.withLock { $0.popLast() }?.connection }
}

/// An idle connection, which belongs only to the caller that takes it out of the pool.
private struct IdleConnection: @unchecked Sendable {
  let connection: DatabaseConnection
}
