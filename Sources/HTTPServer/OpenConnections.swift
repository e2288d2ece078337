internal import Foundations
internal import Glibc

/// The open connections and what each still owes, so that those that owe it for too long can be cut.
///
/// A connection is cut by shutting down its socket: the library then finds it ended and cleans up. The library closes a
/// socket only after calling ``close(_:)`` for it, so no other file can have its descriptor here.
final class OpenConnections: Sendable {
  /// Whose turn it is.
  enum Phase: Sendable {
    /// A request has yet to arrive, or to become complete.
    case receiving
    /// The handler is at work.
    case answering
    /// The client is receiving the answer.
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

  /// Records a new connection, and makes room for the next if few places are left.
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

  /// Records that a connection is ending; its descriptor is about to be closed.
  func close(_ connection: OpaquePointer) {
    state.withLock { _ = $0.entries.removeValue(forKey: connection) }
  }

  /// Records whose turn it is on a connection from now on.
  func setPhase(_ phase: Phase, of connection: OpaquePointer) {
    state.withLock { state in
      state.turns += 1
      let (turn, ticks) = (state.turns, state.ticks)
      state.entries[connection]?.phase = phase
      state.entries[connection]?.since = ticks
      state.entries[connection]?.turn = turn
    }
  }

  /// Records that a second has passed, and cuts every connection whose client has owed something for too long.
  func tick() {
    state.withLock { state in
      state.ticks += 1
      for (connection, entry) in state.entries where entry.phase != .answering {
        if state.ticks - entry.since > limits.requestSeconds { Self.cut(connection, &state) }
      }
    }
  }

  /// Reserves room for more bytes of a body; returns false if there is none.
  func reserve(_ bytes: Int, for exchange: PendingRequest) -> Bool {
    state.withLock { state in
      guard state.bodyBytes + bytes <= limits.bodiesBytes else { return false }
      state.bodyBytes += bytes
      exchange.reservedBytes += bytes
      return true
    }
  }

  /// Releases what was reserved.
  func release(_ exchange: PendingRequest) {
    state.withLock { $0.bodyBytes -= exchange.reservedBytes }
    exchange.reservedBytes = 0
  }

  private static func cut(_ connection: OpaquePointer, _ state: inout State) {
    guard let entry = state.entries[connection], !entry.isCut else { return }
    state.entries[connection]?.isCut = true
    shutdown(entry.descriptor, Int32(SHUT_RDWR))
  }
}
