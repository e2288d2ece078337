internal import CivilTime
internal import Evidence
internal import Foundations
internal import HTTPClient
internal import StrictJSON

/// The routes of the Cheer Supports API, each requested once: no retry, no refresh.
struct CheerClient: Sendable {
  let transport: RateLimitedTransport
  let baseURL: BaseURL
  let naiveZone: Zone
  let timeoutSeconds: Double
  /// The users' ids at the API, for those whom the ledger knows by another.
  private let apiUsers = Lock<[String: String]>([:])
  private let remembered = Lock(AnswerCache(capacity: 131_072))

  init(
    transport: RateLimitedTransport, baseURL: BaseURL, naiveZone: Zone, timeoutSeconds: Double
  ) {
    self.transport = transport
    self.baseURL = baseURL
    self.naiveZone = naiveZone
    self.timeoutSeconds = timeoutSeconds
  }

  /// Replaces the users' ids at the API; answers about somebody else's id are forgotten.
  func setAPIUsers(_ users: [String: String]) {
    let changed = apiUsers.withLock { known in
      defer { known = users }
      return Set(users.keys).union(known.keys).filter { users[$0] != known[$0] }
    }
    if !changed.isEmpty { remembered.withLock { $0.forget(changed) } }
  }

  /// Returns whether the API has another id for `user` than the ledger.
  func hasAPIUser(_ user: String) -> Bool { apiUsers.withLock { $0[user] != nil } }

  /// Forgets a user's id at the API, and the answers about the user.
  func forget(_ user: String) {
    apiUsers.withLock { $0[user] = nil }
    remembered.withLock { $0.forget([user]) }
  }

  /// Returns the URL for `call`; nil if there is none.
  func url(of call: CheerCall) -> String? {
    let user = apiUsers.withLock { $0[call.user] } ?? call.user
    guard let segment = UserPath.segment(for: user), let endpoint = call.route.endpoint
    else { return nil }
    return "\(baseURL)\(endpoint.path)\(segment)"
  }

  /// Requests any route but 100, at a `url` from ``url(of:)``.
  func attempt(_ call: CheerCall, url: String, token: Secret) async -> Exchange<Look.Outcome> {
    let before = remembered.withLock { $0[call] }
    var request = HTTPRequest(url: url, headers: headers(token), timeoutSeconds: timeoutSeconds)
    if let before { request.headers.append(before.validator.condition) }
    let exchange = await transport.exchange(request, for: call)
    let outcome: Look.Outcome
    switch exchange.outcome {
    case .failure(let cause): outcome = .failed(cause)
    case .success(let response):
      outcome = read(response, for: call, before: before, at: exchange.answeredAt)
      if case .failed(let cause) = outcome {
        transport.count { $0.countFailure(call, cause: cause) }
      }
    }
    return exchange.with(outcome)
  }

  /// Logs in through route 100 and returns a new token for `user`.
  func logIn(email: Secret, password: Secret, user: String) async -> TokenKeeper.Answer {
    var body = JSONWriter()
    body.beginObject()
    body.member("email", email.revealed)
    body.member("password", password.revealed)
    body.endObject()
    let request = HTTPRequest(
      .post(body.bytes), url: "\(baseURL)/liver/login",
      headers: [
        HTTPHeader("Content-Type", "application/json"), HTTPHeader("Accept", "application/json"),
      ], timeoutSeconds: timeoutSeconds, usesFreshConnection: true)
    let exchange = await transport.exchange(request, for: CheerCall(route: .login, user: user))
    switch exchange.outcome {
    case .failure(let cause):
      // The route's documentation does not say which of these means a wrong password: all blame the request. A 404 means that
      // there is no such route, and nothing about the user.
      let isRejected = [400, 401, 403, 422].contains(exchange.status)
      return isRejected
        ? .expired
        : .failed(exchange.with(.failed(exchange.status == 404 ? .badAnswer : cause)))
    case .success(let response):
      do throws(JSONError) {
        return try LoginReader.read(response.body).map { .token($0) } ?? .expired
      } catch {
        return .failed(exchange.with(.failed(.badAnswer)))
      }
    }
  }

  private func headers(_ token: Secret) -> [HTTPHeader] {
    [
      HTTPHeader("Authorization", "Bearer \(token.revealed)"),
      HTTPHeader("Accept", "application/json"),
    ]
  }

  private func read(
    _ response: HTTPResponse, for call: CheerCall, before: AnswerCache.Answer?, at now: Instant
  ) -> Look.Outcome {
    if case .count(let field)? = call.route.endpoint?.content {
      return CountReader.read(field, in: response, at: now)
    }
    guard case .source(let route) = call.route else { return .failed(.badAnswer) }
    switch response.status {
    case 204: return .answered([], refused: [])
    case 304:
      // Only a conditional request may be answered with "not modified".
      guard let before else { return .failed(.badAnswer) }
      transport.count { $0.unchangedCount += 1 }
      remembered.withLock { $0.store(before, for: call, at: now) }
      return .answered(before.activities, refused: [])
    default:
      let outcome = RouteReader.read(route, body: response.body, naiveZone: naiveZone)
      let answer = AnswerCache.Answer(response: response, outcome: outcome)
      if answer != nil || before != nil {
        remembered.withLock { $0.store(answer, for: call, at: now) }
      }
      return outcome
    }
  }
}
