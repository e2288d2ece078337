internal import Threading

/// Connections to one server, lent to one caller each; those that broke are not given out again.
///
/// There are never more than ``size``, one of them for urgent callers alone; whoever finds none free waits. Blocks: never on the
/// cooperative pool.
public final class DatabasePool: Sendable {
  /// The server.
  public let address: DatabaseAddress
  /// How long connecting, and each statement or group of statements, may take, in seconds.
  public let limitSeconds: Double
  /// How many connections one process has at most.
  public static let size = 8
  private let slots = ConnectionSlots(size)
  private let idle = Lock<[IdleConnection]>([])
  private let warn: @Sendable (String) -> Void

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
  ///
  /// `body` asks for no other connection. An urgent call is not held up by the work of others. Throws `53300` when no connection
  /// became free within `patienceSeconds`, or ``limitSeconds``.
  public func withConnection<Result>(
    isUrgent: Bool = false, patienceSeconds: Double? = nil,
    _ body: (DatabaseConnection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let patience = patienceSeconds ?? limitSeconds
    guard slots.acquire(isUrgent: isUrgent, within: patience) else {
      throw DatabaseError(
        state: "53300",
        message: "no connection became free within \(Int(patience)) s; "
          + "this process uses \(Self.size) at most")
    }
    defer { slots.release() }
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
        idle.withLock { $0.append(box) }
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
