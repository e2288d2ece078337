/// A request in progress, with what has been received so far.
///
/// Belongs to the loop's thread once submitted; before that, the caller only sets `continuation`.
final class Transfer: @unchecked Sendable {
  /// The maximum number of header lines in an answer, including interim answers and trailers.
  static let headerCountLimit = 200
  /// The maximum size of an answer's header lines.
  static let headerLimitBytes = 64 << 10

  enum State {
    /// Not submitted yet.
    case new
    /// In the loop's queue, not yet passed to libcurl.
    case waiting
    /// Running in libcurl on this handle.
    case running(EasyHandle)
    /// Resumed; nothing more may happen.
    case finished
  }

  let request: HTTPRequest
  let addresses: AddressRule
  var state = State.new
  var isCancelled = false
  var continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>?

  private var body: [UInt8] = []
  private var headerLines: [UInt8] = []
  private var headerCount = 0
  private var headerBytes = 0
  private var isHeadComplete = false
  /// Why we stopped the transfer ourselves; libcurl only reports that a callback failed.
  private(set) var ownFailure: HTTPFailure?
  /// Whether we stopped the transfer because no more of the body is needed.
  private(set) var hasEnough = false

  init(_ request: HTTPRequest, addresses: AddressRule) {
    self.request = request
    self.addresses = addresses
  }

  /// Returns whether a connection to the address may be opened; if not, the transfer fails.
  func mayConnect(to address: [UInt8]) -> Bool {
    guard let objection = addresses.objection(to: address) else { return true }
    ownFailure = .refusedAddress(objection)
    return false
  }

  /// Receives a piece of the body; returns false to stop the transfer.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= request.bodyLimitBytes - body.count else {
      if request.takesBeginning {
        body.append(contentsOf: bytes.prefix(request.bodyLimitBytes - body.count))
        hasEnough = true
      } else {
        ownFailure = .tooLarge(limitBytes: request.bodyLimitBytes)
        body = []
      }
      return false
    }
    if body.isEmpty, bytes.count >= 4_096 {
      body.reserveCapacity(max(bytes.count, declaredBytes))
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// The declared length of the body, at most the limit; reserving it avoids growing the buffer to double the size.
  private var declaredBytes: Int {
    let length = HTTPHeaders(lines: headerLines)["Content-Length"].flatMap { Int($0) }
    return min(max(0, length ?? 0), request.bodyLimitBytes)
  }

  /// Receives one header line; returns false to stop the transfer.
  func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerCount += 1
    headerBytes += line.count
    guard headerCount <= Self.headerCountLimit, headerBytes <= Self.headerLimitBytes else {
      ownFailure = .tooManyHeaders
      return false
    }
    // A status line begins a new answer: everything before belonged to an interim one.
    if line.starts(with: "HTTP/".utf8) {
      headerLines.removeAll(keepingCapacity: true)
      isHeadComplete = false
    }
    headerLines.append(contentsOf: line)
    // The empty line at the end of the head.
    if line.count <= 2 { isHeadComplete = true }
    return true
  }

  /// Resumes the caller with the complete answer or with `failure`; does nothing the second time.
  func finish(status: Int, failure: HTTPFailure?) {
    state = .finished
    guard let continuation else { return }
    self.continuation = nil
    if let failure {
      continuation.resume(returning: .failure(failure))
    } else if !isHeadComplete {
      // libcurl treats a connection that closes within the head as an answer without a body.
      continuation.resume(
        returning: .failure(.unreachable("the connection closed before the headers ended")))
    } else {
      let headers = HTTPHeaders(lines: headerLines)
      continuation.resume(
        returning: .success(HTTPResponse(status: status, headers: headers, body: body)))
    }
  }
}
