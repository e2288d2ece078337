internal import CivilTime
internal import Foundations
package import HTTPServer
package import Scheduling

/// The app's API over simulated lives: at any time it reports what the app would know then, in all variants that the real API
/// uses. Safe to call from any thread.
///
/// Without faults, an answer depends only on the lives, the user, the route and the clock.
package final class SimulatedAPI: Sendable {
  /// The simulated lives.
  package let life: LifeModel
  private let clock: any ServiceClock
  private let state: Lock<APIState>

  /// Creates an API over `life` at the time of `clock`.
  package init(
    life: LifeModel, clock: any ServiceClock, options: SimulatedAPIOptions = SimulatedAPIOptions(),
    faults: FaultPlan = FaultPlan()
  ) {
    self.life = life
    self.clock = clock
    state = Lock(APIState(life: life, options: options, faults: faults, now: clock.now()))
  }

  /// Serves the API until the server is stopped.
  package func start(on address: ListenAddress = .loopback()) throws(HTTPServerError) -> HTTPServer
  {
    try HTTPServer.start(on: address) { self.answer($0) }
  }

  /// Returns the base URL of the API on `server`.
  package static func baseURL(of server: HTTPServer) -> String {
    "http://\(server.address)/api/v1"
  }

  /// Returns the current answer to a request.
  package func answer(_ request: ServerRequest) -> ServerAnswer {
    let now = clock.now()
    return state.withLock { $0.answer(request, now: now) }
  }

  /// Replaces the fault plan, from the next request on.
  package func inject(_ faults: FaultPlan) { state.withLock { $0.faults = faults } }

  /// Invalidates every token: 401 until route 100 issues a new one.
  package func revokeTokens() { state.withLock { $0.tokens.revokeAll() } }

  /// Counts of what has been served so far.
  package var counts: ServedCounts { state.withLock { $0.counts } }
}

/// The options of a simulated API.
package struct SimulatedAPIOptions: Sendable {
  /// How many seconds the answers lag behind the true lives.
  package var lagSeconds: Int64
  /// The UTC offset of texts without a zone; by default that of Asia/Tokyo.
  package var offsetSeconds: Int32
  /// A token that is valid from the start.
  package var token: String
  /// How long a token is valid; nil for ever.
  package var tokenLifetimeSeconds: Int64?
  /// The password of every account at route 100; any e-mail address is accepted.
  package var password: String
  /// The maximum number of watched streams in an answer, enough for two weeks of any life.
  package var watchedLimit: Int

  /// Creates options; the defaults are those of the app.
  package init(
    lagSeconds: Int64 = 10, offsetSeconds: Int32 = 32_400, token: String = "sandbox-token",
    tokenLifetimeSeconds: Int64? = nil, password: String = "sandbox-password",
    watchedLimit: Int = 50
  ) {
    self.lagSeconds = lagSeconds
    self.offsetSeconds = offsetSeconds
    self.token = token
    self.tokenLifetimeSeconds = tokenLifetimeSeconds
    self.password = password
    self.watchedLimit = watchedLimit
  }
}
