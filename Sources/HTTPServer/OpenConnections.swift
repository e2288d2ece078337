internal import Glibc
internal import Threading

/// The open connections and what each of them owes, so that those who owe it for too long can be cut.
///
/// A connection is cut by shutting its socket down: the library then finds it ended and cleans up. The library closes a
/// socket only after ``close(_:)`` was called for it, so no other file can have its descriptor here.
final class OpenConnections: Sendable {
  /// Who has to do something now.
  enum Phase: Sendable {
    /// The client: a request is to come, or to come whole.
    case receiving
    /// The handler.
    case answering
    /// The client: an answer is to be taken.
    case sending
  }

  private struct Entry {
    let descriptor: Int32
    var phase = Phase.receiving
    /// The tick at which the phase began.
    var since: Int
    /// The order in which phases began.
    var turn: Int
    var isCut = false
  }

  private struct State {
    var entries: [OpaquePointer: Entry] = [:]
    var ticks = 0
    var turns = 0
    var bodyBytes = 0
  }

  private let state = Lock(State())
  private let limits: ServerLimits

  init(_ limits: ServerLimits) { self.limits = limits }

  /// Notes a new connection, and makes room for the next when few places are left.
  func open(_ connection: OpaquePointer, descriptor: Int32) {
    state.withLock { state in
      state.turns += 1
      state.entries[connection] = Entry(
        descriptor: descriptor, since: state.ticks, turn: state.turns)
      let open = state.entries.values.count { !$0.isCut }
      guard limits.spareConnections > 0, open > limits.connections - limits.spareConnections
      else { return }
      let slowest = state.entries.filter { $0.value.phase == .receiving && !$0.value.isCut }
        .min { $0.value.turn < $1.value.turn }
      if let slowest { Self.cut(slowest.key, &state) }
    }
  }

  /// Notes that a connection ends; its descriptor is about to be closed.
  func close(_ connection: OpaquePointer) {
    state.withLock { _ = $0.entries.removeValue(forKey: connection) }
  }

  /// Notes who has to do something about a connection from now on.
  func note(_ phase: Phase, of connection: OpaquePointer) {
    state.withLock { state in
      state.turns += 1
      let (turn, ticks) = (state.turns, state.ticks)
      state.entries[connection]?.phase = phase
      state.entries[connection]?.since = ticks
      state.entries[connection]?.turn = turn
    }
  }

  /// Notes that a second has passed: cuts every connection whose client has owed something for too long.
  func tick() {
    state.withLock { state in
      state.ticks += 1
      for (connection, entry) in state.entries where entry.phase != .answering {
        if state.ticks - entry.since > limits.requestSeconds { Self.cut(connection, &state) }
      }
    }
  }

  /// Sets room for so many more bytes of a body aside; false when there is none.
  func reserve(_ bytes: Int, for exchange: Exchange) -> Bool {
    state.withLock { state in
      guard state.bodyBytes + bytes <= limits.bodiesBytes else { return false }
      state.bodyBytes += bytes
      exchange.reservedBytes += bytes
      return true
    }
  }

  /// Gives back what was set aside.
  func release(_ exchange: Exchange) {
    state.withLock { $0.bodyBytes -= exchange.reservedBytes }
    exchange.reservedBytes = 0
  }

  private static func cut(_ connection: OpaquePointer, _ state: inout State) {
    guard let entry = state.entries[connection], !entry.isCut else { return }
    state.entries[connection]?.isCut = true
    shutdown(entry.descriptor, Int32(SHUT_RDWR))
  }
}
