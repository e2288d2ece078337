internal import CivilTime
public import HTTPServer
public import Scheduling
internal import Threading

/// The app's API over simulated lives: at any time it tells what the app would know then, in all the ways that the
/// real one has.
///
/// Without faults an answer is a function of the lives, the user, the route and the clock. Safe to call from any
/// thread.
public final class SimulatedAPI: Sendable {
  /// The lives that are told.
  public let life: LifeModel
  private let clock: any ServiceClock
  private let state: Lock<APIState>

  /// An API over `life` at the time of `clock`.
  public init(
    life: LifeModel, clock: any ServiceClock, options: SimulatedAPIOptions = SimulatedAPIOptions(),
    faults: FaultPlan = FaultPlan()
  ) {
    self.life = life
    self.clock = clock
    state = Lock(APIState(life: life, options: options, faults: faults, now: clock.now()))
  }

  /// Serves the API until the server is stopped.
  public func start(on address: ListenAddress = .loopback()) throws(HTTPServerError) -> HTTPServer {
    try HTTPServer.start(on: address) { self.answer($0) }
  }

  /// The base URL under which `server` serves the API.
  public static func baseURL(of server: HTTPServer) -> String {
    "http://\(server.address)/api/v1"
  }

  /// The answer to one request, now.
  public func answer(_ request: ServerRequest) -> ServerAnswer {
    let now = clock.now()
    return state.withLock { $0.answer(request, now: now) }
  }

  /// Replaces the plan of faults from the next request on.
  public func inject(_ faults: FaultPlan) { state.withLock { $0.faults = faults } }

  /// Makes every token bad: 401 until route 100 gives a new one.
  public func revokeTokens() { state.withLock { $0.tokens.revokeAll() } }

  /// What has been served so far.
  public var counts: ServedCounts { state.withLock { $0.counts } }
}

/// How a simulated API is set up.
public struct SimulatedAPIOptions: Sendable {
  /// How far the answers lag behind the true lives.
  public var lagSeconds: Int64
  /// The offset from UTC of texts without a zone; Asia/Tokyo's by default.
  public var offsetSeconds: Int32
  /// A token that is good from the start.
  public var token: String
  /// How long a token is good; nil for ever.
  public var tokenLifetimeSeconds: Int64?
  /// The password of every account at route 100; the e-mail address is anything.
  public var password: String
  /// The most watched streams that an answer lists: more than two weeks of any life hold.
  public var watchedLimit: Int

  /// A set-up; the defaults are those of the app.
  public init(
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
