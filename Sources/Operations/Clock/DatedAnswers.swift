import HTTPClient

/// Passes requests on, and reports the dates of the answers to a clock that is in doubt.
struct DatedAnswers: HTTPSending {
  private let http: any HTTPSending
  private let clock: HeldClock

  init(from http: any HTTPSending, to clock: HeldClock) {
    self.http = http
    self.clock = clock
  }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let response = try await http.send(request)
    if clock.isInDoubt, let date = response.date { clock.observe(answerDated: date) }
    return response
  }

  func close() { http.close() }
}
