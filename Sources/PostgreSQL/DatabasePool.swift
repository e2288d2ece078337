internal import Threading

/// Connections to one server, lent to one caller each; those that broke are not given out again.
///
/// Makes as many as are asked for at once. Blocks: never on the cooperative pool.
public final class DatabasePool: Sendable {
  /// The server.
  public let address: DatabaseAddress
  /// How long connecting, and each statement or group of statements, may take, in seconds.
  public let limitSeconds: Double
  private let idle = Lock<[IdleConnection]>([])
  private let warn: @Sendable (String) -> Void
  /// More than these are closed when they come back.
  private static let kept = 8

  /// A pool; connects to nothing yet. `warn` is told what the server warns of, whatever came before.
  public init(
    _ address: DatabaseAddress, limitSeconds: Double = 20,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.address = address
    self.limitSeconds = limitSeconds
    self.warn = warn
  }

  /// Runs `body` once, with a connection on which no transaction is open, and takes it back.
  public func withConnection<Result>(
    _ body: (DatabaseConnection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    while let known = takeIdle() {
      if !known.hasUnaskedInput { return try lend(known, body) }
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
        idle.withLock { if $0.count < Self.kept { $0.append(box) } }
      }
    }
    return try body(connection)
  }

  private func takeIdle() -> DatabaseConnection? { idle.withLock { $0.popLast() }?.connection }
}

/// A connection that nobody has in hand: whoever takes it out of the pool has it alone.
private struct IdleConnection: @unchecked Sendable {
  let connection: DatabaseConnection
}
