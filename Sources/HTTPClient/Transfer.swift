/// One request on its way: what it asked for and what has come back so far.
///
/// Belongs to the loop's thread once it was submitted; the caller only sets `continuation` before that.
final class Transfer: @unchecked Sendable {
  /// The most header lines an answer may have, interim answers and trailers included.
  static let headerCountLimit = 200
  /// The most bytes an answer's header lines may have.
  static let headerLimitBytes = 64 << 10

  enum State {
    /// In its caller's hands.
    case new
    /// In the loop's queue, not given to libcurl yet.
    case waiting
    /// libcurl holds it, at work on this handle.
    case running(EasyHandle)
    /// Resumed; nothing may happen any more.
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
  /// Why we stopped the transfer ourselves; libcurl then only reports that a callback failed.
  private(set) var ownFailure: HTTPFailure?
  /// Whether we stopped the transfer since no more of the body is wanted.
  private(set) var hasEnough = false

  init(_ request: HTTPRequest, addresses: AddressRule) {
    self.request = request
    self.addresses = addresses
  }

  /// Whether a connection to the address may be opened; else the transfer fails.
  func mayConnect(to address: [UInt8]) -> Bool {
    guard let objection = addresses.objection(to: address) else { return true }
    ownFailure = .refusedAddress(objection)
    return false
  }

  /// Takes a piece of the body; false stops the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
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

  /// The length that the answer declares for its body, no more than may come: growing to it would take it twice.
  private var declaredBytes: Int {
    let length = HTTPHeaders(lines: headerLines)["Content-Length"].flatMap { Int($0) }
    return min(max(0, length ?? 0), request.bodyLimitBytes)
  }

  /// Takes one header line; false stops the transfer.
  func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerCount += 1
    headerBytes += line.count
    guard headerCount <= Self.headerCountLimit, headerBytes <= Self.headerLimitBytes else {
      ownFailure = .tooManyHeaders
      return false
    }
    // A status line begins a new answer: what came before belonged to an interim one.
    if line.starts(with: "HTTP/".utf8) {
      headerLines.removeAll(keepingCapacity: true)
      isHeadComplete = false
    }
    headerLines.append(contentsOf: line)
    // The empty line that ends the head.
    if line.count <= 2 { isHeadComplete = true }
    return true
  }

  /// Resumes the caller with the complete answer, or with `failure`; does nothing the second time.
  func finish(status: Int, failure: HTTPFailure?) {
    state = .finished
    guard let continuation else { return }
    self.continuation = nil
    if let failure {
      continuation.resume(returning: .failure(failure))
    } else if !isHeadComplete {
      // libcurl takes a connection that closes within the head for an answer without a body.
      continuation.resume(returning: .failure(.unreachable("closed within the headers")))
    } else {
      let headers = HTTPHeaders(lines: headerLines)
      continuation.resume(
        returning: .success(HTTPResponse(status: status, headers: headers, body: body)))
    }
  }
}
