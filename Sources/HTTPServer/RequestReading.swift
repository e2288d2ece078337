internal import CMicroHTTPD
internal import MicroHTTPDShims

/// Reads requests from the library. On the server's thread only.
enum RequestReading {
  /// Returns the request as far as it has arrived.
  static func request(
    _ exchange: PendingRequest, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
  ) -> ServerRequest {
    ServerRequest(
      method: String(cString: method), path: String(cString: path),
      query: fields(.GET_ARGUMENT_KIND, of: exchange.connection),
      headers: fields(.HEADER_KIND, of: exchange.connection),
      body: exchange.body, peerUser: peerUser(of: exchange.connection))
  }

  /// Returns the descriptor of the connection's socket, or nil.
  static func descriptor(of connection: OpaquePointer) -> Int32? {
    let descriptor = http_server_descriptor(connection)
    return descriptor < 0 ? nil : descriptor
  }

  private static func peerUser(of connection: OpaquePointer) -> UInt32? {
    var user: UInt32 = 0
    guard let descriptor = descriptor(of: connection),
      http_server_peer_user(descriptor, &user) == 0
    else { return nil }
    return user
  }

  /// Returns the fields of one kind, in order.
  static func fields(_ kind: MHD_ValueKind, of connection: OpaquePointer) -> [HTTPField] {
    var fields: [HTTPField] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = MHD_get_connection_values(connection, kind, collectField, pointer)
    }
    return fields
  }

  /// Returns the declared length of the request's body, or nil.
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
