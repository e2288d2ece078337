internal import CivilTime
internal import Evidence
import Foundations
internal import HTTPServer
internal import StrictJSON

/// The mutable state of a simulated API, and its answers to requests.
struct APIState {
  let life: LifeModel
  let options: SimulatedAPIOptions
  private(set) var counts = ServedCounts()
  var tokens: TokenBook
  var faults: FaultPlan {
    didSet {
      isQuiet = faults.isQuiet
      cuts = [:]
    }
  }

  private var isQuiet: Bool
  private let voice: AnswerVoice
  private let indexes: [String: Int]
  private var feeds: [RouteFeed?]
  private static let fedRoutes = ServedRoute.allCases.filter { $0.kind != nil }
  /// Requests for numbers, which have no feed to count them.
  private var numberRequests: [UInt64]

  /// A route and what is requested there.
  private struct Question: Hashable {
    let route: ServedRoute
    let user: String
  }

  /// When a connection was last cut instead of answered. A client may repeat the request by itself at the same instant, as
  /// libcurl does on a reused connection: that is the same request, and is cut again, on whatever connection it comes.
  private var cuts: [Question: Instant] = [:]

  /// A late answer may exceed the client's patience, so its content does not count as reported.
  private static let patienceSeconds = 1.0

  init(life: LifeModel, options: SimulatedAPIOptions, faults: FaultPlan, now: Instant) {
    self.life = life
    self.options = options
    self.faults = faults
    isQuiet = faults.isQuiet
    voice = AnswerVoice(
      seed: life.seed, apiOffsetSeconds: options.offsetSeconds, watchedLimit: options.watchedLimit)
    indexes = Dictionary(uniqueKeysWithValues: life.users.map { ($0.id, $0.index) })
    feeds = Array(repeating: nil, count: Self.fedRoutes.count * life.users.count)
    numberRequests = Array(repeating: 0, count: 2 * life.users.count)
    tokens = TokenBook(seed: life.seed, lifetimeSeconds: options.tokenLifetimeSeconds)
    tokens.accept(options.token, now: now)
  }

  /// Returns the answer to a request at `now`.
  mutating func answer(_ request: ServerRequest, now: Instant) -> ServerAnswer {
    let found = ServedRoute.find(
      method: request.method, path: request.path, userArgument: request.argument)
    guard let (route, id) = found else { return .respond(.text("no such route\n", status: 404)) }
    let question = Question(route: route, user: id)
    if cuts[question] == now { return .cut }
    counts.count(route)
    let answer =
      if let outage = faults.outage(at: now) {
        refuse(outage)
      } else if route == .login {
        ServerAnswer.respond(logIn(request.body, now: now))
      } else if !tokens.allows(request.header("Authorization"), now: now) {
        ServerAnswer.respond(
          .json(Array(#"{"message":"Unauthenticated."}"#.utf8), status: 401))
      } else if let index = indexes[id] {
        serve(route, of: life.users[index], now: now, question)
      } else {
        ServerAnswer.respond(.json(Array(#"{"message":"Not found"}"#.utf8), status: 404))
      }
    counts.count(status: answer.status)
    return answer
  }

  private mutating func refuse(_ outage: SimulatedOutage) -> ServerAnswer {
    counts.countOutage()
    return switch outage.manner {
    case .unavailable: .respond(.text("unavailable\n", status: 503))
    case .unreachable: .cut
    }
  }

  /// Returns the answer of a route about a user; records the time if it cuts the connection.
  private mutating func serve(
    _ route: ServedRoute, of user: SimulatedUser, now: Instant, _ question: Question
  ) -> ServerAnswer {
    let answer = serve(route, of: user, now: now)
    if case .cut = answer { cuts[question] = now }
    return answer
  }

  private mutating func serve(
    _ route: ServedRoute, of user: SimulatedUser, now: Instant
  ) -> ServerAnswer {
    let known = now.adding(seconds: -options.lagSeconds)
    switch route {
    case .points, .follows: return number(route, of: user, known: known, now: now)
    default: break
    }
    guard let place = Self.fedRoutes.firstIndex(of: route) else { return .cut }
    let slot = Self.fedRoutes.count * user.index + place
    if feeds[slot] == nil, let kind = route.kind {
      feeds[slot] = RouteFeed(
        route: route, user: user.index, activities: life.activities(of: user, kind))
    }
    guard var feed = feeds[slot] else { return .cut }
    // Taken out meanwhile, so that the feed is changed in place.
    feeds[slot] = nil
    defer { feeds[slot] = feed }
    feed.requests += 1
    let (honest, started) = feed.answer(at: known, voice)
    if isQuiet {
      feed.told = started
      return .respond(honest)
    }
    return spoil(honest, started: started, of: &feed, user: user, known: known, now: now)
  }

  /// Returns the answer of a numeric route, or what the faults make of it.
  private mutating func number(
    _ route: ServedRoute, of user: SimulatedUser, known: Instant, now: Instant
  ) -> ServerAnswer {
    let honest = route == .points ? points(of: user) : follows(of: user, at: known)
    if isQuiet { return .respond(honest) }
    let slot = 2 * user.index + (route == .points ? 0 : 1)
    numberRequests[slot] += 1
    var random = SplitMix64(
      seed: faults.seed, UInt64(user.index), UInt64(route.number), numberRequests[slot])
    let rates = faults.ratesByUser[user.id] ?? faults.rates
    let fault = rates.fault(at: random.fraction())
    let latencySeconds = faults.latency.draw(&random)
    var answer = ServerAnswer.respond(honest)
    switch fault {
    // Lies about instants do not apply to numbers.
    case .futureInstant, .endBeforeStart, nil: break
    case .olderValue where route == .follows:
      counts.count(.olderValue)
      answer = .respond(follows(of: user, at: known.adding(seconds: -Self.oldCopySeconds)))
    case .olderValue: break
    case .missingValue:
      counts.count(.missingValue)
      answer = .respond(.json(Array("{}".utf8)))
    case let fault?:
      counts.count(fault)
      answer = FaultWriter(now: now, honest: honest).answer(fault, &random)
    }
    return latencySeconds > 0 ? .delay(seconds: latencySeconds, answer) : answer
  }

  /// The age of the copy that an older number comes from.
  private static let oldCopySeconds: Int64 = 7_200

  /// Returns the honest answer, or what the faults make of it.
  private mutating func spoil(
    _ honest: ServerResponse, started: Int, of feed: inout RouteFeed, user: SimulatedUser,
    known: Instant, now: Instant
  ) -> ServerAnswer {
    var random = SplitMix64(
      seed: faults.seed, UInt64(user.index), UInt64(feed.route.number), feed.requests)
    let rates = faults.ratesByUser[user.id] ?? faults.rates
    let fault = rates.fault(at: random.fraction())
    let latencySeconds = faults.latency.draw(&random)
    var answer = ServerAnswer.respond(honest)
    if let fault, Fault.lies.contains(fault) {
      if let lie = feed.lie(fault, at: known, now: now, voice) {
        counts.count(fault)
        answer = .respond(lie)
      }
    } else if let fault {
      counts.count(fault)
      answer = FaultWriter(now: now, honest: honest).answer(fault, &random)
    } else if latencySeconds < Self.patienceSeconds {
      feed.told = started
    }
    return latencySeconds > 0 ? .delay(seconds: latencySeconds, answer) : answer
  }

  private mutating func logIn(_ body: [UInt8], now: Instant) -> ServerResponse {
    guard let sent = try? JSONNode.parse(body), sent["email"]?.string != nil,
      sent["password"]?.string == options.password
    else {
      return .json(Array(#"{"token":null,"success":false,"message":"denied"}"#.utf8), status: 401)
    }
    var json = JSONWriter()
    json.beginObject()
    json.member("token", tokens.issue(now: now))
    for name in ["user_id", "handle_name", "nick_name", "callback_url", "message"] {
      json.member(name, nil)
    }
    json.member("offer_is_enabled", false)
    json.member("success", true)
    json.endObject()
    return .json(json.bytes)
  }

  private func points(of user: SimulatedUser) -> ServerResponse {
    var random = SplitMix64(seed: life.seed, UInt64(user.index), 198)
    return .json(Array(#"{"amount":"\#(random.number(in: 0...5_000))"}"#.utf8))
  }

  private func follows(of user: SimulatedUser, at known: Instant) -> ServerResponse {
    let count = life.activities(of: user, .follow).filter { $0.from <= known }.count
    return .json(Array(#"{"total_count":\#(count),"livers":[]}"#.utf8))
  }
}

extension ServerAnswer {
  /// The status sent; 0 for none.
  fileprivate var status: Int {
    switch self {
    case .respond(let response), .truncate(let response, _): response.status
    case .delay(_, let answer): answer.status
    case .cut, .later: 0
    }
  }
}

/// Counts of what the simulated API has served.
package struct ServedCounts: Sendable, Equatable {
  /// Creates empty counts.
  package init() {}

  /// Requests by route, including faulty ones.
  package private(set) var byRoute: [ServedRoute: Int] = [:]
  /// Answers by status; 0 for connections that were cut without one.
  package private(set) var byStatus: [Int: Int] = [:]
  /// The faults that occurred.
  package private(set) var byFault: [Fault: Int] = [:]
  /// Requests refused by an outage.
  package private(set) var refusedByOutage = 0

  /// All requests to known routes.
  package var requests: Int { byRoute.values.reduce(0, +) }

  mutating func count(_ route: ServedRoute) { byRoute[route, default: 0] += 1 }
  mutating func count(status: Int) { byStatus[status, default: 0] += 1 }
  mutating func count(_ fault: Fault) { byFault[fault, default: 0] += 1 }
  mutating func countOutage() { refusedByOutage += 1 }
}
