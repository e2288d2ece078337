import CivilTime
import Foundations
import Sandbox
import Scheduling
import TestSupport
import Testing

@Suite(.offThePool) struct PollPolicyTests {
  private static let policy = PollPolicy(
    everySeconds: 900, lastCallSeconds: 300, firstCallSeconds: 200, lagSeconds: 10,
    usersPerSecond: 50)

  @Test(arguments: 0..<40) func everyDayHasALastAndAFirstCall(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed), 8)
    let zone = try SchedulerFixture.zones.zone(
      named: random.pick(["Asia/Tokyo", "America/New_York", "Africa/Cairo", "Pacific/Apia"]))
    var policy = Self.policy
    policy.everySeconds = random.pick([60, 900, 7_200, 100_000])
    let peers = Int(random.number(in: 1...40_000))
    let lead = policy.lastCallLead(users: peers)
    let spread = PollPolicy.spread(of: "user\(seed)")
    var now = Instant(
      seconds: 1_793_000_000 + random.number(in: -90_000...90_000),
      nanoseconds: Int32(random.number(in: 0...999_999_999)))
    let stop = now.adding(seconds: 4 * 86_400)
    var looks: [Instant] = []
    var window = zone.window(containing: now)
    let whole = zone.nextWindow(after: window)
    while now < stop {
      if !window.contains(now) { window = zone.window(containing: now) }
      let next = policy.nextLook(after: now, window: window, spread: spread, peers: peers)
      try #require(next > now, "seed \(seed): \(next) is not after \(now)")
      #expect(next <= now.adding(seconds: policy.everySeconds + 1), "seed \(seed)")
      looks.append(next)
      now = next
    }
    for day in [whole, zone.nextWindow(after: whole)] {
      let last = looks.filter { day.end.adding(seconds: -lead) <= $0 && $0 < day.end }
      #expect(!last.isEmpty, "seed \(seed): no last call before \(day.end)")
      let fresh = day.end.adding(seconds: policy.lagSeconds + 1)
      let first = looks.filter { fresh <= $0 && $0 <= fresh.adding(seconds: 200) }
      #expect(!first.isEmpty, "seed \(seed): no first call after \(day.end)")
    }
  }

  @Test func usersAreSpreadEvenly() {
    for pattern in ["u", "user-", "100000", ""] {
      var buckets = Array(repeating: 0, count: 20)
      for number in 0..<20_000 {
        let spread = PollPolicy.spread(of: "\(pattern)\(number)")
        buckets[Int(spread * 20)] += 1
      }
      #expect(buckets.allSatisfy { (850...1_150).contains($0) }, "\(pattern): \(buckets)")
    }
    #expect(PollPolicy.spread(of: "a") == PollPolicy.spread(of: "a"))
  }

  @Test func tooLittleRateStartsLastCallsEarlier() {
    #expect(Self.policy.capacity == 45_000)
    #expect(Self.policy.lastCallLead(users: 0) == 300)
    #expect(Self.policy.lastCallLead(users: 15_000) == 300)
    #expect(Self.policy.lastCallLead(users: 15_001) == 301)
    #expect(Self.policy.lastCallLead(users: 1_000_000) == 20_000)
  }

  @Test func lastCallsUseTheWholeLead() {
    let end = Instant(seconds: 1_793_059_200)
    let window = DayWindow(
      day: Day(number: 20_753), start: end.adding(seconds: -86_400), end: end)
    var policy = Self.policy
    policy.everySeconds = 86_400 * 10
    let calls = (0..<1_000).map { number in
      policy.nextLook(
        after: end.adding(seconds: -400), window: window,
        spread: Double(number) / 1_000, peers: 1)
    }.filter { $0 < end }
    #expect(calls.allSatisfy { $0 >= end.adding(seconds: -300) })
    #expect(Set(calls.map(\.seconds)).count > 290)
  }
}
