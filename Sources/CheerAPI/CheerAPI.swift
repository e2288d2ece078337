public import CivilTime
public import Evidence
public import HTTPClient
public import Scheduling

/// The Cheer Supports API as the scheduler sees it: routes, credentials, retries and politeness put together.
///
/// A look's instant is that at which the request that was answered was sent, by the clock. A look may sleep on the
/// clock, for the rate, a pause or a retry: so its caller owns a unit of tracked work (``ServiceClock``), which the look
/// lends while it sleeps or waits for others.
public final class CheerAPI: ActivityAPI {
  /// What the configuration says about the API.
  public struct Settings: Sendable {
    /// Where the routes lie.
    public var baseURL: BaseURL
    /// The zone of timestamps without an offset.
    public var naiveZone: Zone
    /// The highest rate; more than 0.
    public var requestsPerSecond: Double
    /// The most requests under way at once.
    public var concurrency: Int
    /// The longest that one request may take.
    public var timeoutSeconds: Double

    /// Settings; the defaults are those of the configuration.
    public init(
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

  private let transport: PoliteTransport
  private let client: CheerClient
  private let keeper: TokenKeeper
  private let retrying: Retrying
  private let clock: any ServiceClock

  /// The API behind `http`; `seed` decides the jitter of retries, and `serviceToken` reads the token for all users again when it was
  /// refused.
  public init(
    _ settings: Settings, credentials: CredentialSource, http: any HTTPSending,
    clock: any ServiceClock, seed: UInt64,
    serviceToken: @escaping @Sendable () -> Secret? = { nil }
  ) {
    transport = PoliteTransport(
      http: http, clock: clock, requestsPerSecond: settings.requestsPerSecond,
      concurrency: settings.concurrency)
    client = CheerClient(
      transport: transport, baseURL: settings.baseURL, naiveZone: settings.naiveZone,
      timeoutSeconds: settings.timeoutSeconds)
    keeper = TokenKeeper(
      client: client, clock: clock, source: credentials, serviceToken: serviceToken)
    retrying = Retrying(
      asking: TokenRefreshing(client: client, keeper: keeper, clock: clock),
      transport: transport, clock: clock, seed: seed)
    self.clock = clock
  }

  /// Looks once at one of the routes for one user, with up to three attempts.
  ///
  /// A user whose id cannot stand in a URL's path is unknown there; nobody is asked.
  public func look(at route: Source, user: String) async -> Look {
    await look(CheerCall(route: .source(route), user: user))
  }

  /// Route 198: how many cheer coins a user has by the app. Asked like ``look(at:user:)``.
  public func coins(of user: String) async -> LookOutcome {
    await look(CheerCall(route: .coins, user: user)).outcome
  }

  private func look(_ call: CheerCall) async -> Look {
    guard let url = client.url(of: call) else {
      return Look(at: clock.now(), outcome: .failed(.userUnknown))
    }
    return await retrying.look(call, url: url)
  }

  /// Takes other credentials from now on; users whose credentials were spent get another chance.
  public func reload(_ credentials: CredentialSource) { keeper.reload(credentials) }

  /// Asks nothing before then: another process was told to wait, in the name of the whole API. A moment that has passed changes nothing.
  public func pauseAll(until: Instant) { transport.pauseAll(until: until) }

  /// What has been done so far, and where breaker and pause stand.
  public var counters: CheerCounters { transport.snapshot() }
}
