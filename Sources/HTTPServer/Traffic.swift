internal import CMicroHTTPD
internal import Foundations

/// The current requests: how many there are, and which of them wait for an answer from elsewhere.
///
/// A connection is suspended and resumed only under the lock: the library aborts the process if it is stopped with suspended
/// connections, so ``cutWaiting()`` must know every one of them.
final class Traffic: Sendable {
  fileprivate struct State {
    var inHand = 0
    var waiting: [ObjectIdentifier: PendingRequest] = [:]
    var isDraining = false
    var isCut = false
    var whenDrained: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Counts a new request; returns false if the server accepts no more. It must be ended even then.
  func begin() -> Bool {
    state.withLock { state in
      state.inHand += 1
      return !state.isDraining
    }
  }

  /// Counts the end of a request.
  func end() {
    let drained = state.withLock { state in
      state.inHand -= 1
      return state.takeDrained()
    }
    drained?.resume()
  }

  /// Suspends the connection until `work` has an answer.
  func wait(
    _ exchange: PendingRequest, for work: @escaping @Sendable () async -> ServerAnswer
  ) -> MHD_Result {
    state.withLock { state in
      if state.isCut { return .NO }
      MHD_suspend_connection(exchange.connection)
      state.waiting[ObjectIdentifier(exchange)] = exchange
      exchange.task = Task { self.settle(exchange, await work()) }
      return .YES
    }
  }

  /// Returns the answer that came from elsewhere, once.
  func takeAnswer(of exchange: PendingRequest) -> ServerAnswer? {
    state.withLock { _ in
      defer { exchange.answer = nil }
      return exchange.answer
    }
  }

  /// Refuses new requests and waits for the current ones until the grace period ends.
  func drain(graceSeconds: Double) async {
    state.withLock { $0.isDraining = true }
    let grace = Task {
      try await Task.sleep(nanoseconds: UInt64(max(0, graceSeconds) * 1e9))
      giveUp()
    }
    await withCheckedContinuation { continuation in
      let drained = state.withLock { state in
        state.whenDrained = continuation
        return state.takeDrained()
      }
      drained?.resume()
    }
    grace.cancel()
  }

  /// Resumes every waiting connection so that it is cut, and lets none wait from now on.
  func cutWaiting() {
    state.withLock { state in
      state.isCut = true
      for exchange in state.waiting.values {
        exchange.task?.cancel()
        exchange.answer = .cut
        MHD_resume_connection(exchange.connection)
      }
      state.waiting = [:]
    }
  }

  private func giveUp() {
    let drained = state.withLock { state in
      state.isCut = true
      return state.takeDrained()
    }
    drained?.resume()
  }

  private func settle(_ exchange: PendingRequest, _ answer: ServerAnswer) {
    state.withLock { state in
      // A connection that was cut meanwhile is gone.
      guard state.waiting.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return }
      exchange.task = nil
      exchange.answer = answer
      MHD_resume_connection(exchange.connection)
    }
  }
}

extension Traffic.State {
  /// Returns the continuation that waits for the end, if the end has come.
  fileprivate mutating func takeDrained() -> CheckedContinuation<Void, Never>? {
    guard inHand == 0 || isCut else { return nil }
    defer { whenDrained = nil }
    return whenDrained
  }
}

/// A request in progress: the body received so far, and the answer if it comes from elsewhere.
///
/// The body belongs to the server's thread; `answer` and `task` are used only under the server's lock.
final class PendingRequest: @unchecked Sendable {
  let connection: OpaquePointer
  private(set) var body: [UInt8] = []
  private(set) var receivedBytes = 0
  /// How much of the server's room for bodies is reserved for it.
  var reservedBytes = 0
  var answer: ServerAnswer?
  var task: Task<Void, Never>?
  private var bodyLimitBytes = 0
  /// The answer to send once a discarded body has arrived.
  private(set) var refusal: ServerResponse?

  init(connection: OpaquePointer) { self.connection = connection }

  var isTooLarge: Bool { receivedBytes > bodyLimitBytes }

  /// Prepares for a body of up to `limitBytes`, of which `declaredBytes` are announced.
  func expectBody(limitBytes: Int, declaredBytes: Int?) {
    bodyLimitBytes = limitBytes
    // Untouched until bytes arrive: an announcement costs no memory, while growing the buffer would double it.
    if let declaredBytes, declaredBytes <= limitBytes { body.reserveCapacity(declaredBytes) }
  }

  /// Refuses the request after a short body has arrived.
  func refuse(_ response: ServerResponse) { refusal = response }

  /// Receives a piece of the body; returns false once it is so far beyond the limit that continuing is pointless.
  func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    receivedBytes += piece.count
    if isTooLarge { body = [] } else { body.append(contentsOf: piece) }
    return receivedBytes <= 2 * bodyLimitBytes
  }
}
