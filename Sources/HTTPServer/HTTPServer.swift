internal import CMicroHTTPD
internal import Foundations
internal import MicroHTTPDShims

/// An HTTP/1.1 server on its own thread, based on libmicrohttpd.
///
/// Requests reach the handler complete, with their bodies. A server runs, and keeps itself alive, until ``stop(graceSeconds:)``.
package final class HTTPServer: Sendable {
  /// Answers one request. Called on the server's thread, one request at a time, so it must not block: slow work returns
  /// ``ServerAnswer/later(_:)``.
  package typealias Handler = @Sendable (ServerRequest) -> ServerAnswer
  /// Decides from a request's head whether to accept its body. Called on the server's thread; must not block.
  package typealias Gate = @Sendable (ServerRequest) -> RequestAdmission

  /// The address that the server listens on; if port 0 was requested, it has the real port.
  package var address: ListenAddress { socket.address }
  /// The TCP port; 0 on a Unix-domain socket.
  package var port: UInt16 {
    if case .tcp(_, let port) = address { port } else { 0 }
  }

  private let socket: ListeningSocket
  private let limits: ServerLimits
  private let gate: Gate
  private let handler: Handler
  private let traffic = Traffic()
  private let connections: OpenConnections
  private let ticking = Lock<Task<Void, Never>?>(nil)
  private let daemon = Lock<OpaquePointer?>(nil)
  private let stopping = Lock<Task<Void, Never>?>(nil)

  /// Starts a server; throws if the address is not available. Without a gate, every request may have a body.
  package static func start(
    on address: ListenAddress, replaces: Bool = false, limits: ServerLimits = ServerLimits(),
    gate: @escaping Gate = { _ in .takeBody(limitBytes: .max) }, handler: @escaping Handler
  ) throws(HTTPServerError) -> HTTPServer {
    let server = HTTPServer(try ListeningSocket(address, replaces: replaces), limits, gate, handler)
    let context = Unmanaged.passRetained(server)
    let daemon = http_server_start(
      server.socket.descriptor, UInt32(clamping: limits.connections),
      UInt32(clamping: limits.idleTimeoutSeconds), onAccess, onCompleted, onConnection,
      context.toOpaque())
    guard let daemon else {
      context.release()
      server.socket.close()
      throw HTTPServerError(
        address: address, cause: "libmicrohttpd did not start",
        remedy: "check whether file descriptors or memory have run out")
    }
    server.daemon.withLock { $0 = daemon }
    let connections = server.connections
    server.ticking.withLock { ticking in
      ticking = Task {
        while (try? await Task.sleep(for: .seconds(1))) != nil { connections.tick() }
      }
    }
    return server
  }

  private init(
    _ socket: ListeningSocket, _ limits: ServerLimits, _ gate: @escaping Gate,
    _ handler: @escaping Handler
  ) {
    self.socket = socket
    self.limits = limits
    self.gate = gate
    self.handler = handler
    connections = OpenConnections(limits)
  }

  /// Stops the server: it accepts no new requests, waits up to `graceSeconds` for current ones, then cuts the rest.
  ///
  /// Returns when the thread has ended and the socket file is gone. Many tasks may call it; all wait for the same stop. Must not
  /// be called from an answer's task, which it would wait for.
  package func stop(graceSeconds: Double = 5) async {
    let task = stopping.withLock { task in
      let running = task ?? Task { await self.shutDown(graceSeconds: graceSeconds) }
      task = running
      return running
    }
    await task.value
  }

  private func shutDown(graceSeconds: Double) async {
    guard let daemon = daemon.withLock({ $0 }) else { return }
    defer { ticking.withLock { $0?.cancel() } }
    MHD_quiesce_daemon(daemon)
    await traffic.drain(graceSeconds: graceSeconds)
    traffic.cutWaiting()
    // Joining the server's thread blocks, and a stop happens only once: an extra thread is cheap.
    let joining = BlockingThread(named: "http-server-stop")
    let address = UInt(bitPattern: daemon)
    try? await joining.run { MHD_stop_daemon(OpaquePointer(bitPattern: address)) }
    socket.close()
    Unmanaged.passUnretained(self).release()
  }
}

// Calls on the server's thread.
extension HTTPServer {
  /// Begins a request whose headers have arrived.
  fileprivate func receiveHead(
    _ exchange: PendingRequest, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
  ) -> MHD_Result {
    if !traffic.begin() {
      let closing = HTTPField("Connection", "close")
      return send(ServerResponse(status: 503, headers: [closing]), for: exchange)
    }
    let head = RequestReading.request(exchange, method: method, path: path)
    switch gate(head) {
    case .refuse(let response): return refuse(head, with: response, for: exchange)
    case .takeBody(let limitBytes):
      let limit = min(limitBytes, limits.bodyBytes)
      let length = RequestReading.declaredLength(of: exchange.connection)
      if let length, length > limit {
        return refuse(head, with: .text("body too large\n", status: 413), for: exchange)
      }
      if let length, !connections.reserve(length, for: exchange) {
        let later = HTTPField("Retry-After", "1")
        return refuse(head, with: ServerResponse(status: 503, headers: [later]), for: exchange)
      }
      exchange.expectBody(limitBytes: limit, declaredBytes: length)
      return .YES
    }
  }

  /// Answers at once, or first lets a short body arrive: otherwise its sender would find the connection gone and never read the
  /// reason.
  private func refuse(
    _ head: ServerRequest, with response: ServerResponse, for exchange: PendingRequest
  ) -> MHD_Result {
    guard head.header("Expect") == nil,
      let length = RequestReading.declaredLength(of: exchange.connection), 1...16_384 ~= length
    else { return send(response, for: exchange) }
    exchange.refuse(response)
    return .YES
  }

  /// Receives a piece of the body; returns false to cut the connection.
  fileprivate func receive(_ piece: UnsafeRawBufferPointer, for exchange: PendingRequest) -> Bool {
    if exchange.refusal != nil { return true }
    let needed = exchange.receivedBytes + piece.count - exchange.reservedBytes
    // A body of unannounced length: if there is no room left, the connection is cut.
    if needed > 0, !connections.reserve(needed, for: exchange) { return false }
    return exchange.receive(piece)
  }

  /// Answers a complete request, or passes on the answer it was waiting for.
  fileprivate func answer(
    _ exchange: PendingRequest, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
  ) -> MHD_Result {
    if let refusal = exchange.refusal { return send(refusal, for: exchange) }
    if let answer = traffic.takeAnswer(of: exchange) { return perform(answer, for: exchange) }
    if exchange.isTooLarge {
      return send(.text("body too large\n", status: 413), for: exchange)
    }
    connections.setPhase(.answering, of: exchange.connection)
    return perform(
      handler(RequestReading.request(exchange, method: method, path: path)), for: exchange)
  }

  fileprivate func end(_ exchange: PendingRequest) {
    connections.release(exchange)
    connections.setPhase(.receiving, of: exchange.connection)
    traffic.end()
  }

  fileprivate func noteConnection(_ connection: OpaquePointer, isOpen: Bool) {
    guard isOpen else { return connections.close(connection) }
    guard let descriptor = RequestReading.descriptor(of: connection) else { return }
    connections.open(connection, descriptor: descriptor)
  }

  private func send(_ response: ServerResponse, for exchange: PendingRequest) -> MHD_Result {
    connections.setPhase(.sending, of: exchange.connection)
    return ResponseSender.send(response, to: exchange.connection)
  }

  private func perform(_ answer: ServerAnswer, for exchange: PendingRequest) -> MHD_Result {
    switch answer {
    case .respond(let response):
      return send(response, for: exchange)
    case .cut:
      return .NO
    case .truncate(let response, let sentBytes):
      connections.setPhase(.sending, of: exchange.connection)
      return ResponseSender.sendTruncated(response, sentBytes: sentBytes, to: exchange.connection)
    case .delay(let seconds, let answer):
      let nanoseconds = UInt64(max(0, seconds) * 1e9)
      return traffic.wait(exchange) {
        try? await Task.sleep(nanoseconds: nanoseconds)
        return answer
      }
    case .later(let work):
      return traffic.wait(exchange, for: work)
    }
  }
}

private func onAccess(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ piece: UnsafePointer<CChar>?, _ pieceCount: UnsafeMutablePointer<Int>?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let pieceCount, let slot
  else { return .NO }
  let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  guard let known = slot.pointee else {
    let exchange = PendingRequest(connection: connection)
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return server.receiveHead(exchange, method: method, path: path)
  }
  let exchange = Unmanaged<PendingRequest>.fromOpaque(known).takeUnretainedValue()
  if pieceCount.pointee == 0 { return server.answer(exchange, method: method, path: path) }
  let listensOn = server.receive(
    UnsafeRawBufferPointer(start: piece, count: pieceCount.pointee), for: exchange)
  pieceCount.pointee = 0
  return listensOn ? .YES : .NO
}

private func onCompleted(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let context, let slot, let known = slot.pointee else { return }
  slot.pointee = nil
  let exchange = Unmanaged<PendingRequest>.fromOpaque(known).takeRetainedValue()
  Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().end(exchange)
}

private func onConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
  guard let context, let connection else { return }
  Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    .noteConnection(connection, isOpen: change == .CONNECTION_NOTIFY_STARTED)
}
