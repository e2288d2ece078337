internal import CMicroHTTPD
internal import Threading

/// The requests in hand: how many there are, and which of them wait for an answer from elsewhere.
///
/// A connection is suspended and resumed under the lock only: the library aborts the process when it is stopped with
/// suspended connections, so ``cutWaiting()`` must know every one of them.
final class Traffic: Sendable {
  fileprivate struct State {
    var inHand = 0
    var waiting: [ObjectIdentifier: Exchange] = [:]
    var isDraining = false
    var isCut = false
    var whenDrained: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Counts a new request; false when the server takes none any more. It must be ended all the same.
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
    _ exchange: Exchange, for work: @escaping @Sendable () async -> ServerAnswer
  ) -> MHD_Result {
    state.withLock { state in
      if state.isCut { return .NO }
      MHD_suspend_connection(exchange.connection)
      state.waiting[ObjectIdentifier(exchange)] = exchange
      exchange.task = Task { self.settle(exchange, await work()) }
      return .YES
    }
  }

  /// The answer that came from elsewhere, once.
  func takeAnswer(of exchange: Exchange) -> ServerAnswer? {
    state.withLock { _ in
      defer { exchange.answer = nil }
      return exchange.answer
    }
  }

  /// Refuses new requests and waits until those in hand have ended, or the grace is over.
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

  /// Resumes every waiting connection to be cut, and lets none wait from now on.
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

  private func settle(_ exchange: Exchange, _ answer: ServerAnswer) {
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
  /// Who waits for the end, when it has come.
  fileprivate mutating func takeDrained() -> CheckedContinuation<Void, Never>? {
    guard inHand == 0 || isCut else { return nil }
    defer { whenDrained = nil }
    return whenDrained
  }
}

/// One request on its way: the body as it arrives, and the answer when it comes from elsewhere.
///
/// The body belongs to the server's thread; `answer` and `task` are touched under the server's lock only.
final class Exchange: @unchecked Sendable {
  let connection: OpaquePointer
  private(set) var body: [UInt8] = []
  private(set) var receivedBytes = 0
  /// What the server has set aside of its room for bodies.
  var reservedBytes = 0
  var answer: ServerAnswer?
  var task: Task<Void, Never>?
  private var bodyLimitBytes = 0
  /// What is answered once a body of which nothing is kept has come by.
  private(set) var refusal: ServerResponse?

  init(connection: OpaquePointer) { self.connection = connection }

  var isTooLarge: Bool { receivedBytes > bodyLimitBytes }

  /// Lets a body of up to `limitBytes` come, of which `declaredBytes` are announced.
  func expectBody(limitBytes: Int, declaredBytes: Int?) {
    bodyLimitBytes = limitBytes
    // Not touched before the bytes come: an announcement costs no memory, and growing would take it twice.
    if let declaredBytes, declaredBytes <= limitBytes { body.reserveCapacity(declaredBytes) }
  }

  /// Lets a short body come by before it is refused.
  func refuse(_ response: ServerResponse) { refusal = response }

  /// Takes a piece of the body; false once so much came beyond the limit that listening on is pointless.
  func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    receivedBytes += piece.count
    if isTooLarge { body = [] } else { body.append(contentsOf: piece) }
    return receivedBytes <= 2 * bodyLimitBytes
  }
}
