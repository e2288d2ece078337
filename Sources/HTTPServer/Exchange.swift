/// One request on its way: the body as it arrives, and the answer when it comes from elsewhere.
///
/// The body belongs to the server's thread; `answer` and `task` are touched under the server's lock only.
final class Exchange: @unchecked Sendable {
  let connection: OpaquePointer
  private(set) var body: [UInt8] = []
  private(set) var receivedBytes = 0
  var answer: ServerAnswer?
  var task: Task<Void, Never>?
  private let bodyLimitBytes: Int

  init(connection: OpaquePointer, bodyLimitBytes: Int) {
    self.connection = connection
    self.bodyLimitBytes = bodyLimitBytes
  }

  var isTooLarge: Bool { receivedBytes > bodyLimitBytes }

  /// Takes a piece of the body; false once so much came beyond the limit that listening on is pointless.
  func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    receivedBytes += piece.count
    if isTooLarge { body = [] } else { body.append(contentsOf: piece) }
    return receivedBytes <= 2 * bodyLimitBytes
  }
}
