import Foundations
import HTTPClient

/// Answers requests with what a function of the request and its number, from 0, says.
final class FakeHTTP: HTTPSending {
  typealias Answer = Result<HTTPResponse, HTTPFailure>

  private let requests = Lock<[HTTPRequest]>([])
  private let respond: @Sendable (HTTPRequest, Int) -> Answer

  init(_ respond: @escaping @Sendable (HTTPRequest, Int) -> Answer) { self.respond = respond }

  var sent: [HTTPRequest] { requests.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let number = requests.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
    return try respond(request, number).get()
  }
}

extension HTTPRequest {
  /// The value of a header that the request carries.
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension HTTPResponse {
  /// An answer with text as its body and header lines as written.
  init(_ status: Int, _ body: String = "", headers: [String] = []) {
    let lines = headers.map { $0 + "\r\n" }.joined()
    self.init(
      status: status, headers: HTTPHeaders(lines: Array(lines.utf8)), body: Array(body.utf8))
  }
}
