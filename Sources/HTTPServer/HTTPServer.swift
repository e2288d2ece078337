internal import CMicroHTTPD
internal import MicroHTTPDShims
internal import Threading

/// An HTTP/1.1 server on one thread of its own, by libmicrohttpd.
///
/// Requests reach the handler complete, with their bodies. A server runs until ``stop(graceSeconds:)``: until then it
/// keeps itself alive.
public final class HTTPServer: Sendable {
  /// Answers one request. Called on the server's thread, one request at a time, so it must not block: what takes time
  /// is answered with ``ServerAnswer/later(_:)``.
  public typealias Handler = @Sendable (ServerRequest) -> ServerAnswer

  /// Where the server listens; a port that was asked for as 0 is the real one here.
  public var address: ListenAddress { socket.address }
  /// The TCP port, 0 on a Unix-domain socket.
  public var port: UInt16 {
    if case .tcp(_, let port) = address { port } else { 0 }
  }

  private let socket: ListeningSocket
  private let limits: ServerLimits
  private let handler: Handler
  private let traffic = Traffic()
  private let daemon = Lock<OpaquePointer?>(nil)
  private let stopping = Lock<Task<Void, Never>?>(nil)

  /// Starts a server; throws when the address cannot be had.
  public static func start(
    on address: ListenAddress, limits: ServerLimits = ServerLimits(), handler: @escaping Handler
  ) throws(HTTPServerError) -> HTTPServer {
    let server = HTTPServer(try ListeningSocket(address), limits, handler)
    let context = Unmanaged.passRetained(server)
    let daemon = http_server_start(
      server.socket.descriptor, UInt32(clamping: limits.connections),
      UInt32(clamping: limits.idleTimeoutSeconds), onAccess, onCompleted, context.toOpaque())
    guard let daemon else {
      context.release()
      server.socket.close()
      throw HTTPServerError(
        address: address, cause: "libmicrohttpd did not start",
        remedy: "see whether descriptors or memory have run out")
    }
    server.daemon.withLock { $0 = daemon }
    return server
  }

  private init(_ socket: ListeningSocket, _ limits: ServerLimits, _ handler: @escaping Handler) {
    self.socket = socket
    self.limits = limits
    self.handler = handler
  }

  /// Stops: takes no new requests, lets those in hand end for up to `graceSeconds`, then cuts what is left.
  ///
  /// Returns when the thread has ended and the socket file is gone. May be called from many tasks; all wait for the
  /// one stop. Not to be called from within an answer's task, which it would wait for.
  public func stop(graceSeconds: Double = 5) async {
    let task = stopping.withLock { task in
      let running = task ?? Task { await self.shutDown(graceSeconds: graceSeconds) }
      task = running
      return running
    }
    await task.value
  }

  private func shutDown(graceSeconds: Double) async {
    guard let daemon = daemon.withLock({ $0 }) else { return }
    MHD_quiesce_daemon(daemon)
    await traffic.drain(graceSeconds: graceSeconds)
    traffic.cutWaiting()
    // Joining the server's thread blocks, and a stop happens once: a thread of its own is cheap.
    let joining = BlockingThread(named: "http-server-stop")
    let address = UInt(bitPattern: daemon)
    try? await joining.run { MHD_stop_daemon(OpaquePointer(bitPattern: address)) }
    socket.close()
    Unmanaged.passUnretained(self).release()
  }
}

// The server's thread.
extension HTTPServer {
  /// The first word of a request: its headers have arrived.
  fileprivate func begin(_ exchange: Exchange) -> MHD_Result {
    if !traffic.begin() {
      let closing = HTTPField("Connection", "close")
      return Answering.send(
        ServerResponse(status: 503, headers: [closing]), to: exchange.connection)
    }
    if let length = RequestReading.declaredLength(of: exchange.connection),
      length > limits.bodyBytes
    {
      return Answering.send(.text("body too large\n", status: 413), to: exchange.connection)
    }
    return .YES
  }

  /// The whole request is there, or the answer for which it waited.
  fileprivate func answer(
    _ exchange: Exchange, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
  ) -> MHD_Result {
    if let answer = traffic.takeAnswer(of: exchange) { return perform(answer, for: exchange) }
    if exchange.isTooLarge {
      return Answering.send(.text("body too large\n", status: 413), to: exchange.connection)
    }
    let request = ServerRequest(
      method: String(cString: method), path: String(cString: path),
      query: RequestReading.fields(.GET_ARGUMENT_KIND, of: exchange.connection),
      headers: RequestReading.fields(.HEADER_KIND, of: exchange.connection),
      body: exchange.body)
    return perform(handler(request), for: exchange)
  }

  fileprivate func end() { traffic.end() }

  fileprivate func makeExchange(_ connection: OpaquePointer) -> Exchange {
    Exchange(connection: connection, bodyLimitBytes: limits.bodyBytes)
  }

  private func perform(_ answer: ServerAnswer, for exchange: Exchange) -> MHD_Result {
    switch answer {
    case .respond(let response):
      return Answering.send(response, to: exchange.connection)
    case .cut:
      return .NO
    case .truncate(let response, let sentBytes):
      return Answering.sendTruncated(response, sentBytes: sentBytes, to: exchange.connection)
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
    let exchange = server.makeExchange(connection)
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return server.begin(exchange)
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
  if pieceCount.pointee == 0 { return server.answer(exchange, method: method, path: path) }
  let listensOn = exchange.receive(
    UnsafeRawBufferPointer(start: piece, count: pieceCount.pointee))
  pieceCount.pointee = 0
  return listensOn ? .YES : .NO
}

private func onCompleted(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let context, let slot, let known = slot.pointee else { return }
  slot.pointee = nil
  Unmanaged<Exchange>.fromOpaque(known).release()
  Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().end()
}

/// What a server puts up with.
public struct ServerLimits: Sendable, Equatable {
  /// The longest request body, in bytes; a longer one is answered with 413.
  public var bodyBytes: Int
  /// Connections at once; further ones wait in the kernel's queue or are closed.
  public var connections: Int
  /// Seconds after which a connection that sends nothing is closed. Waiting for an answer does not count.
  public var idleTimeoutSeconds: Int

  /// Limits; by default 8 MiB, 1,000 connections and 30 seconds.
  public init(bodyBytes: Int = 8 << 20, connections: Int = 1_000, idleTimeoutSeconds: Int = 30) {
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.idleTimeoutSeconds = idleTimeoutSeconds
  }
}

/// Reads what the library knows of a request. On the server's thread only.
enum RequestReading {
  /// The fields of one kind, in their order.
  static func fields(_ kind: MHD_ValueKind, of connection: OpaquePointer) -> [HTTPField] {
    var fields: [HTTPField] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = MHD_get_connection_values(connection, kind, collectField, pointer)
    }
    return fields
  }

  /// The length that the request declares for its body, or nil.
  static func declaredLength(of connection: OpaquePointer) -> Int? {
    guard let text = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length")
    else { return nil }
    return Int(String(cString: text))
  }
}

private func collectField(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let context, let name else { return .NO }
  let field = HTTPField(String(cString: name), value.map { String(cString: $0) } ?? "")
  context.assumingMemoryBound(to: [HTTPField].self).pointee.append(field)
  return .YES
}
