import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What programs hand in: named in the ledger, held to what they may say and to their brakes.
@Suite(.offThePool) struct SourceTests {
  private func fixture(_ source: InboxSource = shop) async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    _ = try await LimitsUse(fixture.writer).propose([source], by: "root")
    try await fixture.hire(
      #"{"user":"a","timezone":"Etc/UTC"}"#, #"{"user":"b","timezone":"Etc/UTC"}"#)
    return fixture
  }

  /// A shop whose credits may give 100 exp a line, 200 a user and day, 300 a day.
  private static var shop: InboxSource {
    var shop = InboxSource(name: "shop")
    shop.kinds = KindSet([.purchase])
    shop.credits = ["points", "exp"]
    shop.perLine = ["points": 0, "exp": 100]
    (shop.perUserAndDay, shop.perDay) = (2, 3)
    return shop
  }

  private static func credit(
    _ id: Int, of user: String = "a", points: Int64 = 0, exp: Int64 = 0, coins: Int64 = 0
  ) throws -> InboxLine {
    try SchedulerFixture.credit(
      number: id, of: user, at: "2026-11-20T05:00:00Z", points: points, exp: exp, coins: coins,
      id: "order-\(id)")
  }

  private static func add(
    _ lines: [InboxLine], to fixture: SchedulerFixture, from source: InboxSource = shop
  ) async throws -> InboxIntake.Result {
    try await fixture.inboxIntake.add(
      lines, readAt: fixture.clock.now(), from: InboxIntake.Sender(source))
  }

  @Test func linesOfTheLedgerNameTheirSource() async throws {
    let fixture = try await fixture()
    let purchase = InboxLine(
      number: 1,
      entry: .activity(
        user: "a", kind: .purchase, at: try SchedulerFixture.instant("2026-11-20T04:00:00Z")))
    _ = try await Self.add([purchase, Self.credit(2, exp: 10)], to: fixture)
    _ = try await Self.add([Self.credit(3, exp: 10)], to: fixture, from: .hand)
    let senders = fixture.records.compactMap { record -> String? in
      switch record.body {
      case .evidence(let evidence): evidence.sender
      case .credit(let credit): InboxSource.title(of: credit.sender)
      default: nil
      }
    }
    #expect(senders == ["shop", "shop", "hand"])
  }

  @Test func whatASourceMayNotSayIsRejected() async throws {
    var mute = Self.shop
    mute.kinds = []
    let fixture = try await fixture(mute)
    let before = fixture.records.count
    let login = InboxLine(
      number: 1,
      entry: .activity(
        user: "a", kind: .login, at: try SchedulerFixture.instant("2026-11-20T04:00:00Z")))
    let through = InboxLine(
      number: 3, entry: .completeThrough(try SchedulerFixture.instant("2026-11-20T05:00:00Z")))
    let result = try await Self.add(
      [login, Self.credit(2, coins: -5), through], to: fixture, from: mute)
    #expect(
      result.rejected.map(\.reason) == [
        "the source shop may not hand in login; see sources.shop.kinds",
        "the source shop may not hand in credits with coins; see sources.shop.credits",
        "the source shop hands in no activities, so it cannot say that they are complete",
      ])
    #expect(fixture.records.count == before && result.completeThrough == nil)
  }

  /// A new source, or more for a known one, takes two people; less does not.
  @Test func theLedgerSaysWhatASourceMay() async throws {
    let fixture = try await fixture()
    let use = LimitsUse(fixture.writer)
    let backend = InboxSource(name: "backend")
    var richer = Self.shop
    richer.perDay = 4
    let lines = try [Self.credit(1, exp: 10)]
    for more in [[backend, Self.shop], [richer]] {
      let id = try #require(try await use.propose(more, by: "root"))
      #expect(try await use.propose(more, by: "root") == id)
      #expect(fixture.foldedState.requests.all[id]?.what == BigAct.sources(more).what)
      #expect(fixture.foldedState.sources == [Self.shop])
    }
    let stranger = try await Self.add(lines, to: fixture, from: backend)
    #expect(
      stranger.rejected.map(\.reason) == [
        "the source backend may not hand in credits with exp; see sources.backend.credits"
      ])
    #expect(
      BigAct.sources([richer]).what
        == "sources shop: purchase; credits of points up to 0, exp up to 100; 2 times a line to a user and day, 4 times in a day"
    )
    let second = SecondActor(fixture.writer)
    for person in ["ann", "bob"] {
      try await second.approve(.sources([richer]), BigAct.sources([richer]).id, by: person)
    }
    #expect(try await use.propose([richer], by: "root") == nil)
    #expect(fixture.foldedState.sources == [richer])
    var poorer = Self.shop
    poorer.credits = ["exp"]
    #expect(try await use.propose([poorer], by: "root") == nil)
    #expect(fixture.foldedState.sources == [poorer])
    // Less counts at once, though something else waits.
    poorer.perDay = 1
    #expect(try await use.propose([poorer, backend], by: "root") != nil)
    #expect(fixture.foldedState.sources == [poorer])
  }

  /// What a source may no longer say, nobody approves in its name.
  @Test func anApprovalDoesNotSayWhatTheSourceMayNot() async throws {
    let fixture = try await fixture()
    let line = try Self.credit(1, exp: 150)
    _ = try await Self.add([line], to: fixture)
    let id = try #require(fixture.foldedState.requests.waiting.first?.id)
    var poorer = Self.shop
    poorer.credits = ["points"]
    _ = try await LimitsUse(fixture.writer).propose([poorer], by: "root")
    let intake = InboxIntake(
      fixture.writer, keeping: fixture.looks, past: fixture.ledger, sources: ["shop"])
    let result = try await intake.add(
      [line], readAt: fixture.clock.now(),
      from: InboxIntake.Sender(.hand, actor: "root", approved: [id]))
    #expect(
      result.rejected.map(\.reason) == [
        "the source shop may not hand in credits with exp; see sources.shop.credits"
      ])
  }

  /// Whether the credits come in one file or one by one, or the state is folded again in between.
  @Test(arguments: [true, false])
  func brakesHoldForALineAUserAndADay(isOneFile: Bool) async throws {
    let fixture = try await fixture()
    let lines = try [
      Self.credit(1, exp: 101), Self.credit(2, exp: 100), Self.credit(3, exp: 100),
      Self.credit(4, exp: 1), Self.credit(5, of: "b", exp: 100), Self.credit(6, of: "b", exp: 1),
      // What a credit takes passes no brake.
      Self.credit(7, of: "b", points: -1_000),
    ]
    var rejected: [RejectedLine] = []
    for part in isOneFile ? [lines] : lines.map({ [$0] }) {
      rejected += try await Self.add(part, to: fixture).rejected
      fixture.restart()
    }
    #expect(rejected.map(\.number) == [1, 4, 6])
    for (line, span) in zip(rejected, ["a line", "a user and day", "a day"]) {
      #expect(line.reason.contains("the limit of \(span) is "))
    }
    let requests = fixture.foldedState.requests.all.values
    #expect(requests.map(\.actor) == ["shop", "shop", "shop"])
    #expect(await fixture.balance(of: "a")?.exp == 0)
    #expect(await fixture.balance(of: "b")?.exp == 100)
    // The next day begins at zero.
    try fixture.set("2026-11-21T00:00:01Z")
    #expect(try await Self.add([Self.credit(8, of: "b", exp: 1)], to: fixture).rejected.isEmpty)
  }

  /// A clock that is set back over midnight does not empty the day of the ledger's records.
  @Test func aClockSetBackGivesNoSecondDay() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-21T00:00:10Z")
    _ = try await Self.add([Self.credit(1, exp: 100), Self.credit(2, exp: 100)], to: fixture)
    try fixture.set("2026-11-20T23:59:30Z")
    #expect(try await Self.add([Self.credit(3, exp: 1)], to: fixture).rejected.map(\.number) == [3])
  }

  /// It waits on a day with room too, takes two people besides the source, and is recorded as the source's.
  @Test func twoPeopleAgreeOnWhatPassedABrake() async throws {
    let fixture = try await fixture()
    let lines = try [Self.credit(1, exp: 100), Self.credit(2, exp: 100), Self.credit(3, exp: 1)]
    #expect(try await Self.add(lines, to: fixture).rejected.map(\.number) == [3])
    try fixture.set("2026-11-21T00:00:01Z")
    let again = try await Self.add([lines[2]], to: fixture)
    #expect(again.rejected.map(\.number) == [3] && again.records.isEmpty)
    let id = try #require(fixture.foldedState.requests.waiting.first?.id)
    let intake = InboxIntake(
      fixture.writer, keeping: fixture.looks, past: fixture.ledger, sources: ["shop"])
    func approve(_ actor: String) async throws -> InboxIntake.Result {
      let person = InboxIntake.Sender(.hand, actor: actor, approved: [id])
      return try await intake.add([lines[2]], readAt: fixture.clock.now(), from: person)
    }
    for _ in 1...2 {
      let first = try await approve("root")
      #expect(first.rejected.map(\.number) == [3])
      #expect(fixture.foldedState.requests.all[id]?.actor == "root")
    }
    // Nor does the source take the request back when it sends the line once more.
    #expect(try await Self.add([lines[2]], to: fixture).rejected.map(\.number) == [3])
    let result = try await approve("bob")
    #expect(result.rejected.isEmpty && result.approved == [id])
    let senders = result.records.compactMap { record -> String? in
      if case .credit(let credit) = record.body { credit.sender } else { nil }
    }
    #expect(senders == ["shop"])
    #expect(fixture.foldedState.requests.waiting.isEmpty)
    // The shop hands it in again, and nothing happens.
    #expect(try await Self.add([lines[2]], to: fixture).rejected.isEmpty)
    #expect(await fixture.balance(of: "a")?.holdings.credited.exp == 201)
  }

  /// A source knows only of its own activities; a person's word counts for all.
  @Test func onlyTheHandSpeaksForAll() async throws {
    let fixture = try await fixture()
    let instant = try SchedulerFixture.instant("2026-11-20T05:00:00Z")
    let through = InboxLine(number: 1, entry: .completeThrough(instant))
    let result = try await Self.add([through], to: fixture)
    #expect(result.completeThrough == instant)
    #expect(await fixture.writer.read { $0.inboxThrough } == .earliest)
    _ = try await Self.add([through], to: fixture, from: .hand)
    #expect(await fixture.writer.read { $0.inboxThrough } == instant)
  }
}
