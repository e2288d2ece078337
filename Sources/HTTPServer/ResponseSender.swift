internal import CMicroHTTPD

/// Passes answers to the library. On the server's thread only.
enum ResponseSender {
  /// Queues a whole response.
  static func send(_ response: ServerResponse, to connection: OpaquePointer) -> MHD_Result {
    let made = response.body.withUnsafeBytes { bytes in
      // The library copies the bytes at once, despite the mutable pointer in its signature.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        .RESPMEM_MUST_COPY)
    }
    return queue(made, response, to: connection)
  }

  /// Queues a response whose body breaks off after `sentBytes` bytes.
  static func sendTruncated(
    _ response: ServerResponse, sentBytes: Int, to connection: OpaquePointer
  ) -> MHD_Result {
    let prefix = BodyPrefix(bytes: Array(response.body.prefix(sentBytes)))
    let made = MHD_create_response_from_callback(
      UInt64(response.body.count), 4_096, readPrefix, Unmanaged.passRetained(prefix).toOpaque(),
      releasePrefix)
    return queue(made, response, to: connection)
  }

  private static func queue(
    _ made: OpaquePointer?, _ response: ServerResponse, to connection: OpaquePointer
  ) -> MHD_Result {
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for header in response.headers { MHD_add_response_header(made, header.name, header.value) }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }
}

/// The part of a body that is sent before the connection is cut.
private final class BodyPrefix: Sendable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }
}

private func readPrefix(
  _ context: UnsafeMutableRawPointer?, _ position: UInt64,
  _ room: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
  // MHD_CONTENT_READER_END_WITH_ERROR is a macro with a cast, which Swift does not import.
  let endWithError = -2
  guard let context, let room else { return endWithError }
  let bytes = Unmanaged<BodyPrefix>.fromOpaque(context).takeUnretainedValue().bytes
  let rest = bytes.dropFirst(Int(position)).prefix(capacity)
  if rest.isEmpty { return endWithError }
  UnsafeMutableRawBufferPointer(start: room, count: capacity).copyBytes(from: rest)
  return rest.count
}

private func releasePrefix(_ context: UnsafeMutableRawPointer?) {
  if let context { Unmanaged<BodyPrefix>.fromOpaque(context).release() }
}
