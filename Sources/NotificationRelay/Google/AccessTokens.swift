internal import CivilTime
internal import HTTPClient
internal import Scheduling
internal import StrictJSON

/// Keeps a service account's access token until a minute before it expires. Only one request at a time fetches a token; all
/// others wait for it.
actor AccessTokens {
  /// Why there is no token.
  struct Failure: Error, Sendable {
    /// The reason in a few words, without secrets.
    let reason: String
  }

  private static let marginSeconds: Int64 = 60
  private static let answerLimitBytes = 64 << 10

  private let account: ServiceAccount
  private let scope: ServiceAccount.Scope
  private let http: any HTTPSending
  private let clock: any ServiceClock
  private let timeoutSeconds: Double
  private var token: (text: String, from: Instant, until: Instant)?
  private var fetching: Task<Result<String, Failure>, Never>?

  init(
    _ account: ServiceAccount, for scope: ServiceAccount.Scope, http: any HTTPSending,
    clock: any ServiceClock,
    timeoutSeconds: Double
  ) {
    self.account = account
    self.scope = scope
    self.http = http
    self.clock = clock
    self.timeoutSeconds = timeoutSeconds
  }

  /// Returns a token that is valid for at least a minute.
  func current() async -> Result<String, Failure> {
    let now = clock.now()
    // A clock that shows a time before the fetch was set back by an unknown amount.
    if let token, token.from <= now, now < token.until { return .success(token.text) }
    if let fetching { return await fetching.value }
    let task = Task { await fetch() }
    fetching = task
    let result = await task.value
    if fetching == task { fetching = nil }
    return result
  }

  /// Forgets `refused`, if it is still in use: the next call fetches another.
  func forget(_ refused: String) { if token?.text == refused { token = nil } }

  private func fetch() async -> Result<String, Failure> {
    let now = clock.now()
    guard let assertion = account.assertion(of: scope, issuedAt: now.seconds) else {
      return .failure(Failure(reason: "the private key cannot sign"))
    }
    let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
    let request = HTTPRequest(
      .post(Array("grant_type=\(grant)&assertion=\(assertion)".utf8)),
      url: account.tokenAddress.url,
      headers: [
        HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
        HTTPHeader("Accept", "application/json"),
      ], timeoutSeconds: timeoutSeconds, bodyLimitBytes: Self.answerLimitBytes)
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await http.send(request)
    } catch {
      return .failure(Failure(reason: "no access token: \(error)"))
    }
    let answer = try? JSONNode.parse(response.body)
    guard response.status == 200, let text = answer?["access_token"]?.string, !text.isEmpty,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let seconds = answer?["expires_in"]?.int,
      seconds > 0
    else {
      // The server's error is a word of RFC 6749, or else something that should not be shown here.
      let known = [
        "invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope",
        "invalid_request",
      ]
      let word = answer?["error"]?.string.flatMap { known.contains($0) ? ": \($0)" : nil } ?? ""
      return .failure(Failure(reason: "no access token: HTTP \(response.status)\(word)"))
    }
    let good = min(seconds, 86_400) - Self.marginSeconds
    token = (text, now, now.adding(seconds: good))
    return .success(text)
  }
}
