internal import Foundations
package import HTTPServer
internal import StrictJSON

/// A receiver for the notification relay: accepts CloudEvents by POST on any path and remembers them by id.
package final class RelayReceiver: Sendable {
  private struct State {
    var events: [String: ReceivedEvent] = [:]
    var order: [String] = []
    var failure: ServerAnswer?
    var failuresLeft = 0
    var refused = 0
  }

  private let state = Lock(State())

  /// Creates a receiver that has received nothing.
  package init() {}

  /// Receives until the server is stopped.
  package func start(on address: ListenAddress = .loopback()) throws(HTTPServerError) -> HTTPServer
  {
    try HTTPServer.start(on: address) { self.answer($0) }
  }

  /// Returns the answer to a delivery: 200, or 400 if it is not a CloudEvent.
  package func answer(_ request: ServerRequest) -> ServerAnswer {
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

  /// Answers the next `count` deliveries with `answer` and does not store them.
  package func failNext(_ count: Int, with answer: ServerAnswer) {
    state.withLock { state in
      state.failure = answer
      state.failuresLeft = count
    }
  }

  /// Returns the event with this id, or nil.
  package func event(_ id: String) -> ReceivedEvent? { state.withLock { $0.events[id] } }

  /// All events in the order of their first arrival.
  package var events: [ReceivedEvent] {
    state.withLock { state in state.order.compactMap { state.events[$0] } }
  }

  /// The number of deliveries that were not accepted.
  package var refused: Int { state.withLock { $0.refused } }
}

/// An event as the receiver got it.
package struct ReceivedEvent: Sendable, Equatable {
  /// The event's id.
  package let id: String
  /// The body of the first accepted delivery.
  package let body: [UInt8]
  /// The headers of that delivery.
  package let headers: [HTTPField]
  /// The number of accepted deliveries.
  package internal(set) var deliveries: Int
}
