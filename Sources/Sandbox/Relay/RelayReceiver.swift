public import HTTPServer
internal import StrictJSON
internal import Threading

/// The other end of the notification relay: takes CloudEvents by POST on any path and remembers them by id.
public final class RelayReceiver: Sendable {
  private struct State {
    var events: [String: ReceivedEvent] = [:]
    var order: [String] = []
    var failure: ServerAnswer?
    var failuresLeft = 0
    var refused = 0
  }

  private let state = Lock(State())

  /// A receiver that has received nothing.
  public init() {}

  /// Receives until the server is stopped.
  public func start(on address: ListenAddress = .loopback()) throws(HTTPServerError) -> HTTPServer {
    try HTTPServer.start(on: address) { self.answer($0) }
  }

  /// The answer to one delivery: 200, or 400 when it is no CloudEvent.
  public func answer(_ request: ServerRequest) -> ServerAnswer {
    let id = (try? JSONNode.parse(request.body))?["id"]?.string
    return state.withLock { state in
      if state.failuresLeft > 0, let failure = state.failure {
        state.failuresLeft -= 1
        state.refused += 1
        return failure
      }
      guard request.method == "POST", let id else {
        state.refused += 1
        return .respond(.text("expected a CloudEvent\n", status: 400))
      }
      if state.events[id] == nil { state.order.append(id) }
      state.events[
        id,
        default: ReceivedEvent(
          id: id, body: request.body, headers: request.headers, deliveries: 0)
      ].deliveries += 1
      return .respond(ServerResponse(status: 200))
    }
  }

  /// Answers the next `count` deliveries with `answer` and forgets them.
  public func failNext(_ count: Int, with answer: ServerAnswer) {
    state.withLock { state in
      state.failure = answer
      state.failuresLeft = count
    }
  }

  /// The event with this id, or nil.
  public func event(_ id: String) -> ReceivedEvent? { state.withLock { $0.events[id] } }

  /// All events in the order in which they first came.
  public var events: [ReceivedEvent] {
    state.withLock { state in state.order.compactMap { state.events[$0] } }
  }

  /// Deliveries that were not accepted.
  public var refused: Int { state.withLock { $0.refused } }
}

/// An event as the relay receiver got it.
public struct ReceivedEvent: Sendable, Equatable {
  /// The event's id.
  public let id: String
  /// The body of the first delivery that was accepted.
  public let body: [UInt8]
  /// The headers of that delivery.
  public let headers: [HTTPField]
  /// How many deliveries were accepted.
  public internal(set) var deliveries: Int
}
