import CivilTime
import Ledger
import TestSupport
import Testing

@testable import NotificationRelay

/// What is due to a document, from the document, its record and the ledger.
@Suite(.offThePool) struct StoreChangeTests {
  private static let now = Instant(seconds: 1_796_000_000)
  private static let caps: [Int64] = [200, 300, 400]

  private static func day(_ days: Int64) -> Instant { now.adding(seconds: days * 86_400) }

  private static func current(
    _ change: (inout CurrentEarnings) -> Void = { _ in }
  ) -> CurrentEarnings {
    var current = CurrentEarnings(
      ledger: "L", position: 50, earnings: Earnings(), caps: caps,
      day: DayWindow(
        day: Day(number: 20_786), start: now.adding(seconds: -3_600), end: day(1)), rewarded: [])
    change(&current)
    return current
  }

  private static func record(_ change: (inout StoreRecord) -> Void = { _ in }) -> StoreRecord {
    var record = StoreRecord(ledger: "L")
    change(&record)
    return record
  }

  private static func change(
    _ fields: [String: StoreValue], _ record: StoreRecord, _ current: CurrentEarnings,
    _ names: StoreFields = StoreFields()
  ) throws -> StoreChange {
    try StoreChange(
      of: StoreDocument(
        name: "projects/p/x/Users/d", createTime: "", updateTime: "t", fields: fields),
      from: record, to: current, names, now: now)
  }

  @Test func theFirstWriteGivesEverything() throws {
    let change = try Self.change(
      ["ShopPoints": .integer(7)], Self.record(),
      Self.current {
        $0.earnings.points = 30
        $0.earnings.exp = 250
        $0.earnings.logins = 2
        $0.earnings.cycleDay = 2
        $0.earnings.items = ["font/red"]
      })
    #expect(change.increments == [.points: 30, .logins: 2])
    #expect(
      change.values == [.exp: .integer(50), .level: .integer(2), .cycleDay: .integer(1)])
    #expect(change.addedItems == ["font/red"])
    #expect(change.record.position == 50 && change.record.points == 30)
    // Another look at what was written finds nothing to do, at whatever line.
    let written: [String: StoreValue] = [
      "TotalExp": .integer(50), "Level": .integer(2), "ConsecutiveLogin": .integer(1),
      "Rewards": change.record.value,
    ]
    let record = try #require(StoreRecord(change.record.value))
    let later = try Self.change(
      written, record,
      Self.current {
        $0.position = 90
        $0.earnings.points = 30
        $0.earnings.exp = 250
        $0.earnings.logins = 2
        $0.earnings.cycleDay = 2
        $0.earnings.items = ["font/red"]
      })
    #expect(later.isEmpty)
  }

  /// Level and exp in the document, exp written, exp earned, level and exp afterwards.
  @Test(arguments: [
    (1, 0, 0, 199, 1, 199), (1, 150, 100, 150, 2, 0), (1, 150, 100, 649, 3, 199),
    (2, 10, 300, 250, 1, 160), (1, 10, 300, 250, 1, -40), (4, 5_000, 0, 1, 4, 5_001),
    (3, 399, 0, 1, 4, 0),
  ])
  func expCarriesOver(
    level: Int64, exp: Int64, written: Int64, earned: Int64, newLevel: Int64, newExp: Int64
  ) throws {
    let change = try Self.change(
      ["Level": .integer(level), "TotalExp": .integer(exp)], Self.record { $0.exp = written },
      Self.current { $0.earnings.exp = earned })
    #expect(change.values[.exp] == .integer(newExp))
    #expect(change.values[.level] == (newLevel == level ? nil : .integer(newLevel)))
  }

  /// The booster's end in the document, at the last write and in the ledger, and the days granted since; then what is written. In
  /// days from now.
  @Test(
    arguments: [
      (nil, nil, 1, 1, 1), (nil, nil, nil, 0, nil), (-5, -5, 1, 1, 1), (9, nil, 1, 1, 10),
      (2, 2, 3, 1, 3), (4, 2, 3, 1, 5), (3, 2, 3, 0, nil), (2, 2, 5, 1, 5), (nil, nil, -1, 1, nil),
      (3, 3, 2, 0, 2), (7, 3, 2, 0, 6), (3, 3, -4, 0, 0), (-1, 3, -4, 0, nil), (3, -2, -4, 0, nil),
      (5, nil, 1, 10, 6), (5, -8, 1, 10, 6), (-1, nil, 1, 10, 1),
    ] as [(Int64?, Int64?, Int64?, Int64, Int64?)])
  func aBoosterMovesAsInTheLedger(
    shown: Int64?, before: Int64?, end: Int64?, granted: Int64, written: Int64?
  ) throws {
    let change = try Self.change(
      ["ExpBoosterEndDay": shown.map { .timestamp(Self.day($0)) } ?? .null],
      Self.record { $0.boosterUntil = before.map(Self.day) },
      Self.current {
        $0.earnings.boosterUntil = end.map(Self.day)
        $0.earnings.grantedBoosterUntil = $0.earnings.boosterUntil
        $0.earnings.boosterSeconds = granted * 86_400
      })
    #expect(change.values[.boosterUntil] == written.map { .timestamp(Self.day($0)) })
    #expect(change.record.boosterUntil == end.map(Self.day))
  }

  /// What was granted and is over does not lengthen a booster that the app has sold, and told.
  @Test(arguments: [(-2, nil), (0, nil), (1, 4)] as [(Int64, Int64?)])
  func anExpiredBoosterLengthensNone(grantedUntil: Int64, written: Int64?) throws {
    let change = try Self.change(
      ["ExpBoosterEndDay": .timestamp(Self.day(3))], Self.record(),
      Self.current {
        $0.earnings.boosterUntil = Self.day(3)
        $0.earnings.grantedBoosterUntil = Self.day(grantedUntil)
        $0.earnings.boosterSeconds = 86_400
      })
    #expect(change.values[.boosterUntil] == written.map { .timestamp(Self.day($0)) })
  }

  /// Without its record a document would get everything again as soon as nobody remembers what was written.
  @Test func aRecordThatIsGoneIsWrittenAgain() throws {
    let record = Self.record { $0.points = 30 }
    let current = Self.current { $0.earnings.points = 30 }
    let lost = try Self.change(["ShopPoints": .integer(37)], record, current)
    #expect(!lost.isEmpty && lost.increments == [:] && lost.values == [:])
    #expect(lost.record.points == 30)
    let kept = try Self.change(
      ["ShopPoints": .integer(37), "Rewards": record.value], record, current)
    #expect(kept.isEmpty)
    // Of a user who was given nothing there is nothing to say.
    #expect(try Self.change([:], Self.record(), Self.current()).isEmpty)
  }

  @Test func itemsOfOthersStay() throws {
    let change = try Self.change(
      ["OwnedItems": .array([.string("a/1"), .string("a/2"), .string("a/3")])],
      Self.record { $0.items = ["a/1", "a/2", "a/9"] },
      Self.current {
        $0.earnings.items = ["a/2", "a/4"]
        $0.earnings.elsewhere = ["a/9"]
      })
    // What was bought since it was granted is the user's own.
    #expect(change.removedItems == ["a/1"] && change.addedItems == ["a/4"])
    #expect(change.record.items == ["a/2", "a/4"])
  }

  @Test(arguments: [false, true])
  func flagsSayWhatWasGiven(collected: Bool) throws {
    var names = StoreFields()
    names.collectedValue = collected
    let open = StoreValue.bool(!collected)
    let change = try Self.change(
      ["MissionRewards": .array(Array(repeating: open, count: 7)), "DailyReward": open],
      Self.record(), Self.current { $0.rewarded = ["watch", "gift", "login"] }, names)
    var flags = Array(repeating: open, count: 7)
    flags[1] = .bool(collected)
    flags[3] = .bool(collected)
    #expect(change.values == [.missionRewards: .array(flags), .dailyReward: .bool(collected)])
    // A shorter array, or none, is left as it is.
    let bare = try Self.change(
      ["MissionRewards": .array([open])], Self.record(), Self.current { $0.rewarded = ["gift"] },
      names)
    #expect(bare.values == [:])
  }

  @Test func fieldsThatAreLeftOutAreLeftAlone() throws {
    var names = StoreFields()
    for field in StoreField.allCases where field != .record { names[field] = nil }
    let earned = Self.current {
      $0.earnings.points = 5
      $0.earnings.exp = 5
      $0.earnings.items = ["a/1"]
      $0.rewarded = ["gift"]
    }
    #expect(try Self.change(["ShopPoints": .string("x")], Self.record(), earned, names).isEmpty)
    names[.exp] = "Exp"
    let change = try Self.change(["Exp": .integer(900)], Self.record(), earned, names)
    // Without a level there is nothing to carry over.
    #expect(change.increments == [.exp: 5])
  }

  @Test(arguments: [
    "ShopPoints", "TotalExp", "Level", "OwnedItems", "ExpBoosterEndDay", "ConsecutiveLogin",
    "TotalLogin", "DailyReward", "MissionRewards",
  ])
  func anotherTypeStopsTheUser(field: String) {
    let obstacle = #expect(throws: StoreChange.Obstacle.self) {
      try Self.change([field: .string("3")], Self.record(), Self.current())
    }
    guard case .unusable(let what)? = obstacle else {
      Issue.record("another obstacle")
      return
    }
    #expect(what.hasPrefix("\(field) is not "))
  }

  @Test func sumsBeyond64BitsAreRefused() {
    #expect(throws: StoreChange.Obstacle.self) {
      try Self.change(
        [:], Self.record { $0.points = .min }, Self.current { $0.earnings.points = 1 })
    }
    #expect(throws: StoreChange.Obstacle.self) {
      try Self.change(
        [:], Self.record { $0.boosterSeconds = .min },
        Self.current { $0.earnings.boosterSeconds = 1 })
    }
    #expect(throws: StoreChange.Obstacle.self) {
      try Self.change(["Level": .integer(2_147_483_647)], Self.record(), Self.current())
    }
    #expect(throws: StoreChange.Obstacle.self) {
      try Self.change(
        ["Level": .integer(4), "TotalExp": .integer(.max)], Self.record(),
        Self.current { $0.earnings.exp = 1 })
    }
  }

  /// One batch that fails is one failure, however many users are in it.
  @Test func aFailureOfAllCountsOnce() {
    let down = DeliveryOutcome.failed(DeliveryFailure("no answer", isSinkWide: true))
    let own = DeliveryOutcome.failed(DeliveryFailure("a conflict", isSinkWide: false))
    let outcomes = StoreWriter.oneFailureOfAll(
      [
        "a": .delivered(status: 200), "b": down, "c": down, "d": own,
        "e": .unavailable(reason: "x"),
      ],
      now: Self.now)
    #expect(
      outcomes == [
        "a": .delivered(status: 200), "b": down, "c": .postponed(until: Self.now), "d": own,
        "e": .postponed(until: Self.now),
      ])
  }

  /// Firestore keeps microseconds.
  @Test func finerInstantsAreNotWrittenAgain() throws {
    let fine = Self.day(1).adding(nanoseconds: 123_456_789)
    let current = Self.current {
      $0.earnings.boosterUntil = fine
      $0.earnings.grantedBoosterUntil = fine
      $0.earnings.boosterSeconds = 86_400
    }
    let first = try Self.change([:], Self.record(), current)
    let end = try #require(first.values[.boosterUntil])
    #expect(end == .timestamp(Self.day(1).adding(nanoseconds: 123_456_000)))
    let written = ["ExpBoosterEndDay": end, "Rewards": first.record.value]
    #expect(try Self.change(written, first.record, current).isEmpty)
  }

  @Test func somethingElseIsNoRecord() {
    #expect(StoreRecord(.map([:])) == nil)
    #expect(StoreRecord(.string("x")) == nil)
    var odd = Self.record().value
    if case .map(var map) = odd {
      map["items"] = .array([.integer(1)])
      odd = .map(map)
    }
    #expect(StoreRecord(odd) == nil)
  }
}
