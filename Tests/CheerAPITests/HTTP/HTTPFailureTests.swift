import CCurl
import Evidence
import TestSupport
import Testing

@testable import CheerAPI
@testable import HTTPClient

/// What libcurl's codes mean, and whether another attempt is worth its while.
@Suite(.offThePool) struct HTTPFailureTests {
  private static let table: [(code: CURLcode, cause: FailureCause)] = [
    // GOAWAY, RST_STREAM, and a connection that ends between two requests.
    (CURLE_HTTP2, .unreachable), (CURLE_HTTP2_STREAM, .unreachable),
    (CURLE_RECV_ERROR, .unreachable), (CURLE_SEND_ERROR, .unreachable),
    (CURLE_GOT_NOTHING, .unreachable), (CURLE_PARTIAL_FILE, .unreachable),
    (CURLE_COULDNT_CONNECT, .unreachable), (CURLE_PEER_FAILED_VERIFICATION, .unreachable),
    (CURLE_OPERATION_TIMEDOUT, .timedOut),
    (CURLE_WEIRD_SERVER_REPLY, .badAnswer), (CURLE_UNSUPPORTED_PROTOCOL, .badAnswer),
    (CURLE_OUT_OF_MEMORY, .badAnswer), (CURLE_URL_MALFORMAT, .badAnswer),
  ]

  @Test(arguments: table.indices) func aCodeHasItsCause(row: Int) {
    let (code, cause) = Self.table[row]
    #expect(FailureCause(HTTPFailure(code: code, explanation: "x")) == cause, "\(code)")
  }
}
