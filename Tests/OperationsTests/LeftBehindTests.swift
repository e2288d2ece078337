import AuditPage
import CivilTime
import Ledger
import RewardRules
import TestSupport
import Testing

@testable import Operations

/// Whose day a close has left behind is found, and nobody who came or moved since.
@Suite(.offThePool) struct LeftBehindTests {
  private static let first = Day(number: 20_758)  // 2026-11-01

  private static func midnight(_ day: Int32) -> Instant {
    Instant(seconds: Int64(first.number + day) * 86_400)
  }

  private static func user(_ id: String, since day: Int32 = 0) -> RecordBody {
    .user(
      UserRecord(user: id, zone: "Etc/UTC", from: midnight(day), since: first.adding(days: day)))
  }

  private static func close(
    _ day: Int32, from start: Int32? = nil, of zone: String = "Etc/UTC"
  ) -> RecordBody {
    .close(
      CloseRecord(
        zone: zone,
        window: DayWindow(
          day: first.adding(days: day), start: midnight(start ?? day), end: midnight(day + 1)),
        users: 1, counts: CloseCounts(), amounts: Amounts(), tzdata: "x", sources: [],
        head: .origin))
  }

  private func found(_ bodies: [RecordBody]) -> [String] {
    var (state, check) = (LedgerState(), LeftBehind())
    for (offset, body) in bodies.enumerated() {
      let record = Record(seq: UInt64(offset) + 2, at: Self.midnight(9), body: body)
      check.add(record, before: state)
      state.apply(record)
    }
    return check.findings(state, zones: TestPlace.zones).map(\.text)
  }

  @Test func whoIsTakenAlongIsNotLeftBehind() {
    #expect(found([Self.user("a"), Self.close(0), Self.close(1)]) == [])
    #expect(found([Self.user("a"), Self.close(1, from: 0)]) == [])
    // The first judged day is still to come.
    #expect(found([Self.user("a", since: 5), Self.close(1)]) == [])
  }

  @Test func whoStandsOnADayThatIsClosedIs() {
    #expect(
      found([Self.user("a"), Self.close(1)])
        == ["2026-11-01 was not closed for a, although 2026-11-02 was closed in Etc/UTC"])
    // Somebody else's line says nothing of it; one of the user's own does: whoever came since is closed by the next run.
    #expect(found([Self.user("a"), Self.close(1), Self.user("b", since: 2)]).count == 1)
    #expect(found([Self.close(1), Self.user("a")]) == [])
  }

  /// The name of the zone to which somebody moves may be unknown at the close of the one that is left: the move waits then. Once the
  /// other zone has been closed as well, the name was known.
  @Test func whoMovesIsLeftBehindOnceBothZonesAreClosed() {
    let move = RecordBody.user(
      UserRecord(user: "a", zone: "Europe/London", from: Self.midnight(0).adding(seconds: 3_600)))
    #expect(found([Self.user("a"), move, Self.close(0), Self.close(1)]) == [])
    #expect(
      found([Self.user("a"), move, Self.close(1), Self.close(1, of: "Europe/London")])
        == ["2026-11-01 was not closed for a, although 2026-11-02 was closed in Etc/UTC"])
  }
}
