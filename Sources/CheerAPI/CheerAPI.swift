package import CivilTime
package import Evidence
package import HTTPClient
package import Scheduling

/// The Cheer Supports API as the scheduler sees it, with routes, credentials, retries and rate limits combined.
///
/// A poll's instant is when the answered request was sent, by the clock. A poll may sleep on the clock because of the
/// rate, a pause or a retry. Its caller therefore owns a unit of tracked work (``ServiceClock``), which the poll lends
/// while it sleeps or waits for others.
package final class CheerAPI: ActivityAPI {
  /// The API's configuration.
  package struct Settings: Sendable {
    /// The base URL of the routes.
    package var baseURL: BaseURL
    /// The zone of timestamps without an offset.
    package var naiveZone: Zone
    /// The maximum rate; more than 0.
    package var requestsPerSecond: Double
    /// The maximum number of requests under way at once.
    package var concurrency: Int
    /// The time limit of one request.
    package var timeoutSeconds: Double

    /// Creates settings; the defaults are those of the configuration.
    package init(
      baseURL: BaseURL, naiveZone: Zone, requestsPerSecond: Double = 200, concurrency: Int = 64,
      timeoutSeconds: Double = 10
    ) {
      self.baseURL = baseURL
      self.naiveZone = naiveZone
      self.requestsPerSecond = requestsPerSecond
      self.concurrency = concurrency
      self.timeoutSeconds = timeoutSeconds
    }
  }

  private let transport: RateLimitedTransport
  private let client: CheerClient
  private let keeper: TokenKeeper
  private let retrying: LookRetrier
  private let clock: any ServiceClock

  /// Creates the API behind `http`. `seed` determines the jitter of retries; `serviceToken` reads the token for all
  /// users again after it was refused.
  package init(
    _ settings: Settings, credentials: CredentialSource, http: any HTTPSending,
    clock: any ServiceClock, seed: UInt64,
    serviceToken: @escaping @Sendable () -> Secret? = { nil }
  ) {
    transport = RateLimitedTransport(
      http: http, clock: clock, requestsPerSecond: settings.requestsPerSecond,
      concurrency: settings.concurrency)
    client = CheerClient(
      transport: transport, baseURL: settings.baseURL, naiveZone: settings.naiveZone,
      timeoutSeconds: settings.timeoutSeconds)
    keeper = TokenKeeper(
      client: client, clock: clock, source: credentials, serviceToken: serviceToken)
    retrying = LookRetrier(client: client, keeper: keeper, clock: clock, seed: seed)
    self.clock = clock
  }

  /// Polls a route for one user, with up to three attempts.
  ///
  /// A user whose id cannot be part of a URL's path is unknown there; no request is sent.
  package func look(at route: Source, user: String) async -> Look {
    let exchange = await exchange(CheerCall(route: .source(route), user: user))
    return Look(route: route, at: exchange.at, outcome: exchange.outcome)
  }

  /// Returns how many cheer coins the app says a user has (route 198). Retries like ``look(at:user:)``.
  package func coins(of user: String) async -> Look.Outcome {
    await exchange(CheerCall(route: .coins, user: user)).outcome
  }

  private func exchange(_ call: CheerCall) async -> Exchange<Look.Outcome> {
    guard let url = client.url(of: call) else {
      return .unsent(.failed(.userUnknown), at: clock.now())
    }
    return await retrying.look(call, url: url)
  }

  /// Returns whether there is a credential for polls of `user`; without one, each fails.
  package func hasCredential(for user: String) -> Bool { keeper.hasCredential(for: user) }

  /// Replaces the ids by which the API knows users whose id in the ledger is another.
  package func setAPIUsers(_ users: [String: String]) { client.setAPIUsers(users) }

  /// Returns whether the API can be asked about `user`: a pseudonym needs an id of the API's.
  package func canName(_ user: String, isPseudonym: Bool) -> Bool {
    !isPseudonym || client.hasAPIUser(user)
  }

  /// Forgets the user's id at the API, tokens and last answers; ``reload(_:)`` forgets the credential.
  package func forget(_ user: String) {
    client.forget(user)
    keeper.forget(user)
  }

  /// Replaces the credentials; users whose credentials were spent get another chance.
  package func reload(_ credentials: CredentialSource) { keeper.reload(credentials) }

  /// Sends nothing before `until`, because the API asked another process to pause. A past instant changes nothing.
  package func pauseAll(until: Instant) { transport.pauseAll(until: until) }

  /// The counters so far, with the state of breaker and pause.
  package var counters: CheerCounters { transport.snapshot() }
}
