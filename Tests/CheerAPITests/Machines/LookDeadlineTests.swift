import CheerAPI
import CivilTime
import Evidence
import Foundations
import HTTPClient
import TestSupport
import Testing

/// A poll ends half a minute after its first request left, whatever goes wrong.
@Suite(.offThePool) struct LookDeadlineTests {
  /// The poll, the seconds that it took and the patience of each of its requests, in front of a server that lets every
  /// request wait until it is given up, or for `answerSeconds`, and then answers `status`.
  private func look(
    timeoutSeconds: Double, answerSeconds: Int64? = nil, status: Int = 200, headers: [String] = [],
    credentials: CredentialSource = .serviceToken(Secret("service"))
  ) async throws -> (look: Look, seconds: Int64, patience: [Double]) {
    let clock = TestClock()
    let http = FakeHTTP { request, _ in
      let patience = Int64(request.timeoutSeconds.rounded(.up))
      guard let answerSeconds, answerSeconds < patience else {
        clock.advance(seconds: patience)
        return .failure(.timedOut)
      }
      clock.advance(seconds: answerSeconds)
      return .success(HTTPResponse(status, headers: headers))
    }
    let began = clock.now()
    clock.beginWork()
    let look = try await makeAPI(
      http, clock: clock, credentials: credentials, timeoutSeconds: timeoutSeconds
    ).look(at: .lastStream, user: "ann")
    clock.endWork()
    return (look, clock.now().seconds(since: began), http.sent.map(\.timeoutSeconds))
  }

  @Test(arguments: [1.0, 5, 9, 10, 14, 29, 30, 60, 600])
  func timeOutsTakeHalfAMinuteInAll(timeoutSeconds: Double) async throws {
    let (look, seconds, patience) = try await look(timeoutSeconds: timeoutSeconds)
    #expect(look.outcome == .failed(.timedOut))
    // One more for the fake server, which counts in whole seconds.
    #expect(seconds <= 31, "\(patience)")
    #expect(patience.allSatisfy { $0 <= timeoutSeconds && $0 <= 30 })
    if timeoutSeconds < 10 { #expect(patience.count == 3) }
    if timeoutSeconds >= 30 { #expect(patience.count == 1) }
  }

  @Test(arguments: [2, 9, 14, 28] as [Int64])
  func slowRefusalsToo(answerSeconds: Int64) async throws {
    for (status, headers) in [(503, []), (429, ["Retry-After: 7"]), (429, ["Retry-After: 29"])] {
      let (look, seconds, _) = try await look(
        timeoutSeconds: 30, answerSeconds: answerSeconds, status: status, headers: headers)
      // The last attempt may be the one that is cut short.
      let refusal: FailureCause = status == 503 ? .serverError : .throttled
      #expect([.failed(refusal), .failed(.timedOut)].contains(look.outcome))
      #expect(seconds <= 31)
    }
  }

  @Test func soDoLoginsWithinIt() async throws {
    let (look, seconds, patience) = try await look(
      timeoutSeconds: 30, answerSeconds: 12, status: 401,
      credentials: .serviceToken(Secret("service")))
    #expect(look.outcome == .failed(.unauthorized))
    #expect(seconds <= 31)
    #expect(patience.count == 2)
  }
}
