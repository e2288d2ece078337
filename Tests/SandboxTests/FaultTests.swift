import CivilTime
import Evidence
import HTTPServer
import Sandbox
import StrictJSON
import TestSupport
import Testing

/// What goes wrong when it shall, and that it goes wrong the same way twice.
@Suite(.offThePool) struct FaultTests {
  private static let life = SimulatedAPITests.life
  private static let start = SimulatedAPITests.start
  private static let routes = SimulatedAPITests.routes

  private func api(_ plan: FaultPlan) -> (api: SimulatedAPI, clock: VirtualClock) {
    let clock = VirtualClock(at: Self.start, until: Self.start)
    return (SimulatedAPI(life: Self.life, clock: clock, faults: plan), clock)
  }

  /// Asks everything at many times; what is cut is an empty answer with status 0.
  private func sweep(
    _ api: SimulatedAPI, _ clock: VirtualClock, rounds: Int = 12,
    _ look: (SimulatedUser, ServedRoute, ServerAnswer) throws -> Void
  ) rethrows {
    for _ in 0..<rounds {
      clock.step(bySeconds: 30_000)
      for user in Self.life.users {
        for (route, path) in Self.routes {
          try look(user, route, api.answer(SimulatedAPITests.get(path + user.id)))
        }
      }
    }
  }

  @Test(arguments: Fault.allCases)
  func everyFaultShowsAndIsCounted(fault: Fault) throws {
    let (api, clock) = api(FaultPlan(seed: 1, rates: FaultRates([fault: 0.5])))
    var spoilt = 0
    sweep(api, clock) { user, route, answer in
      let known = clock.now().adding(seconds: -10)
      let truth = SimulatedAPITests.expected(user, route.kind!, at: known)
      if isSpoilt(answer, truth) { spoilt += 1 }
    }
    let count = try #require(api.counts.byFault[fault])
    #expect(api.counts.byFault == [fault: count])
    #expect(count == spoilt)
    #expect(count > 100)
  }

  private func isSpoilt(_ answer: ServerAnswer, _ truth: [Activity]) -> Bool {
    guard let response = answer.response, [200, 204].contains(response.status),
      response.body.count <= 1 << 20,
      let told = try? AnswerReading.activities(response.body)
    else { return true }
    return told != truth
  }

  /// Every lie can be told from the truth by what was told before and by the clock.
  @Test func liesCanBeDetected() throws {
    var rates = FaultRates.none
    for lie in Fault.lies { rates[lie] = 0.1 }
    let (api, clock) = api(FaultPlan(seed: 2, rates: rates))
    var newest: [String: Instant] = [:]
    var detected = 0
    try sweep(api, clock, rounds: 60) { user, route, answer in
      let now = clock.now()
      let key = "\(user.id) \(route)"
      let told = try AnswerReading.activities(try #require(answer.response).body)
      let truth = SimulatedAPITests.expected(user, route.kind!, at: now.adding(seconds: -10))
      let isFuture = told.contains { $0.from > now.adding(seconds: 300) }
      let isReversed = told.contains { !$0.isOpen && $0.to < $0.from }
      let isOlder = newest[key].map { seen in (told.map(\.from).max() ?? .earliest) < seen }
      let isDetected = isFuture || isReversed || isOlder ?? false
      #expect(isDetected == (told != truth))
      if isDetected { detected += 1 } else { newest[key] = told.map(\.from).max() }
    }
    #expect(detected == api.counts.byFault.values.reduce(0, +))
    #expect(Set(api.counts.byFault.keys) == Set(Fault.lies))
  }

  @Test func theSeedDecidesWhatGoesWrong() {
    func play(_ seed: UInt64) -> [String] {
      let rates = FaultRates(
        Dictionary(uniqueKeysWithValues: Fault.allCases.map { ($0, 0.05) }))
      let latency = Latency(
        usualSeconds: 0...0.01, lateProbability: 0.1, lateSeconds: 1...20)
      let (api, clock) = api(FaultPlan(seed: seed, rates: rates, latency: latency))
      var answers: [String] = []
      sweep(api, clock, rounds: 5) { _, _, answer in answers.append(brief(answer)) }
      return answers
    }
    #expect(play(3) == play(3))
    #expect(play(3) != play(4))
  }

  /// An answer in a line, however long its body is.
  private func brief(_ answer: ServerAnswer) -> String {
    switch answer {
    case .respond(let response):
      let headers = response.headers.map { "\($0.name): \($0.value)" }
      return "\(response.status) \(headers) \(response.body.count) \(response.body.hashValue)"
    case .truncate(let response, let sentBytes):
      return "\(sentBytes) of \(brief(.respond(response)))"
    case .delay(let seconds, let answer): return "after \(seconds): \(brief(answer))"
    case .cut: return "cut"
    case .later: return "later"
    }
  }

  @Test func retryAfterComesInBothForms() throws {
    let (api, clock) = api(FaultPlan(seed: 1, rates: FaultRates([.throttled: 1])))
    var values: Set<String> = []
    try sweep(api, clock, rounds: 1) { _, _, answer in
      let response = try #require(answer.response)
      #expect(response.status == 429)
      values.formUnion(response.headers.filter { $0.name == "Retry-After" }.map(\.value))
    }
    // 2026-03-20T08:20:00Z is when the one round is.
    #expect(values.count == 10)
    #expect(values.isSuperset(of: ["1", "5", "Fri, 20 Mar 2026 08:20:01 GMT"]))
  }

  @Test(arguments: [(SimulatedOutage.Manner.unavailable, 503), (.unreachable, 0)])
  func outagesHitEveryRouteWhileTheyLast(manner: SimulatedOutage.Manner, status: Int) {
    let from = Self.start.adding(seconds: 100)
    let outage = SimulatedOutage(from: from, to: from.adding(seconds: 50), manner: manner)
    let (api, clock) = api(FaultPlan(outages: [outage]))
    let login = ServerRequest(method: "POST", path: "/api/v1/liver/login")
    for (second, isDown) in [(99, false), (100, true), (149, true), (150, false)] {
      clock.step(bySeconds: Self.start.adding(seconds: Int64(second)).seconds(since: clock.now()))
      for request in [login, SimulatedAPITests.get(Self.routes[0].path + "u100000")] {
        let served = api.answer(request).response?.status ?? 0
        #expect((served == status) == isDown)
      }
    }
    #expect(api.counts.refusedByOutage == 4)
    #expect(api.counts.byStatus[status] == 4)
  }

  @Test func oneUserMayFareWorseThanTheOthers() {
    let plan = FaultPlan(ratesByUser: ["u100003": FaultRates([.cut: 1])])
    let (api, clock) = api(plan)
    sweep(api, clock, rounds: 2) { user, _, answer in
      #expect((answer.response == nil) == (user.id == "u100003"))
    }
    api.inject(FaultPlan())
    sweep(api, clock, rounds: 1) { _, _, answer in #expect(answer.response != nil) }
  }

  @Test func faultsReachTheWire() async throws {
    let (api, _) = api(FaultPlan())
    let server = try api.start()
    func ask(_ fault: Fault) async throws -> RawReply {
      api.inject(FaultPlan(seed: 1, rates: FaultRates([fault: 1])))
      return try await RawClient.get(
        server.address, Self.routes[1].path + "u100000",
        headers: ["Authorization: Bearer sandbox-token"])
    }
    #expect(try await ask(.cut).status == 0)
    let truncated = try await ask(.truncated)
    #expect(truncated.status == 200 && !truncated.isComplete)
    let oversized = try await ask(.oversized)
    #expect(oversized.body.count > 1 << 20 && oversized.isComplete)
    #expect(try await ask(.serverError).status >= 500)
    await server.stop()
  }
}
