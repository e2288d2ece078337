import CheerAPI
import CivilTime
import Evidence
import TestSupport
import Testing

@Suite(.offThePool) struct RouteReaderTests {
  private func read(_ route: Source, _ body: String) -> Look.Outcome {
    RouteReader.read(route, body: Array(body.utf8), naiveZone: tokyo)
  }

  @Test(arguments: Source.routes, ["", " \r\n\t", "null", "{}", "[]", " { } ", "[ ]\n"])
  func nothingYet(route: Source, body: String) {
    #expect(read(route, body) == .nothing)
  }

  @Test(arguments: [
    #"{"live_start_at":null,"live_end_at":null}"#,
    #"{"live_start_at":""}"#,
    #"{"live_start_at":"0000-00-00 00:00:00","live_end_at":"0000-00-00 00:00:00"}"#,
    #"{"other":[1,{"a":2}],"Live_Start_At":"x"}"#,
  ])
  func aLastStreamWithoutInstants(body: String) {
    #expect(read(.lastStream, body) == .nothing)
  }

  @Test(
    arguments: [
      // Tokyo's noon is 03:00 in UTC.
      (#"{"live_start_at":"2026-11-20 21:00:00","live_end_at":"2026-11-20 21:00:10"}"#, 0, 10),
      (#"{"live_end_at":"2026-11-20T12:00:10Z","live_start_at":"2026-11-20T12:00:00Z"}"#, 0, 10),
      (#"{"live_start_at":"2026-11-20T13:00:00+01:00","live_end_at":null}"#, 0, nil),
      (#"{"live_start_at":"2026-11-20 21:00:00"}"#, 0, nil),
      (#"{"live_start_at":"2026-11-20 21:00:00","live_end_at":"2026-11-20 21:00:00"}"#, 0, 0),
      (#"{"x":1,"live_start_at":"2026-11-20 21:00:00","y":"\n","live_end_at":""}"#, 0, nil),
      (#"{"live_start_a\u0074":"2026-11-20\u002021:00:00"}"#, 0, nil),
    ] as [(String, Int64, Int64?)])
  func aLastStream(body: String, from: Int64, to: Int64?) {
    let activity = Activity.told(.stream, from: noon(from), to: to.map { noon($0) })
    #expect(read(.lastStream, body) == .answered([activity], refused: []))
  }

  @Test(arguments: [
    (#"{"live_end_at":"2026-11-20 21:00:00"}"#, "an end without a start"),
    (#"{"live_start_at":null,"live_end_at":"2026-11-20 21:00:00"}"#, "an end without a start"),
    (
      #"{"live_start_at":"2026-11-20 21:00:01","live_end_at":"2026-11-20 21:00:00"}"#,
      "the end comes before the start"
    ),
    (#"{"live_start_at":1795176000}"#, "the start is not a text"),
    (#"{"live_start_at":{"date":"2026-11-20"}}"#, "the start is not a text"),
    (#"{"live_start_at":"2026-11-20 21:00:00","live_end_at":false}"#, "the end is not a text"),
    (
      #"{"live_start_at":"2026-11-20 21:00:00","live_start_at":"2026-11-20 21:00:00"}"#,
      "a field appears twice"
    ),
  ])
  func aLastStreamThatIsRefused(body: String, reason: String) {
    #expect(read(.lastStream, body) == .answered([], refused: [reason]))
  }

  @Test(arguments: [
    "2026-02-31 00:00:00", "2026-11-20 24:00:00", "2026-11-20", "2026-11-20 21:00:00Z garbage",
    "yesterday", "1795176000", "2026-11-20 21:00:00\\u0000", "２026-11-20 21:00:00",
  ])
  func anInstantThatDoesNotExistIsRefused(text: String) {
    for field in ["live_start_at", "live_end_at"] {
      let other = field == "live_end_at" ? #""live_start_at":"2026-11-20 21:00:00","# : ""
      guard
        case .answered(let activities, let refused) = read(
          .lastStream, "{\(other)\"\(field)\":\"\(text)\"}")
      else {
        Issue.record("\(text)")
        continue
      }
      #expect(activities.isEmpty && refused.count == 1)
    }
  }

  @Test func watchedStreamsStandOrFallOneByOne() {
    let body = """
      [{"subscribe_start_at":"2026-11-20 21:00:00","subscribe_end_at":"2026-11-20 21:00:05"},
       null, 7, {"subscribe_start_at":"junk"}, {}, {"id":4,
       "subscribe_start_at":"2026-11-20 21:00:07","subscribe_end_at":null},
       {"subscribe_end_at":"2026-11-20 21:00:05"}, [[]]]
      """
    guard case .answered(let activities, let refused) = read(.watchedStreams, body) else {
      Issue.record("no answer")
      return
    }
    #expect(
      activities == [
        Activity.told(.watch, from: noon(), to: noon(5)),
        Activity.told(.watch, from: noon(7), to: nil),
      ])
    #expect(refused.count == 6)
    #expect(refused[0] == "entry 2: not an object")
    #expect(refused[2].hasPrefix("entry 4: the start "))
    #expect(refused[3] == "entry 5: neither start nor end")
    #expect(refused[4] == "entry 7: an end without a start")
  }

  @Test func aFloodOfBadEntriesIsCountedNotListed() {
    let body = "[" + String(repeating: "1,", count: 400_000) + "1]"
    guard case .answered(_, let refused) = read(.watchedStreams, body) else {
      Issue.record("no answer")
      return
    }
    #expect(refused.count == 21)
    #expect(refused.last == "and 399981 more")
  }

  @Test(arguments: [
    #"{"gift_id":3,"userId_recieved_gift":9,"created_at":"2026-11-20 21:00:00"}"#,
    #"{"gift_id":"3","userId_recieved_gift":"9","created_at":"2026-11-20T12:00:00.000000Z"}"#,
    #"{"created_at":"2026-11-20 21:00:00"}"#,
  ])
  func aGiftIsAnInstant(body: String) {
    let activity = Activity(kind: .gift, from: noon(), to: noon())
    #expect(read(.lastGift, body) == .answered([activity], refused: []))
  }

  @Test func aGiftWithoutItsInstantIsRefused() {
    #expect(
      read(.lastGift, #"{"gift_id":3,"created_at":null}"#)
        == .answered([], refused: ["a gift without its time"]))
    #expect(read(.lastGift, #"{"gift_id":null,"created_at":null}"#) == .nothing)
  }

  @Test(arguments: [
    (Source.lastStream, #"[{"live_start_at":"2026-11-20 21:00:00"}]"#),
    (.lastGift, "[1]"),
    (.watchedStreams, #"{"subscribe_start_at":"2026-11-20 21:00:00"}"#),
    (.watchedStreams, #"{"message":"Server Error"}"#),
    (.lastStream, "true"), (.lastGift, "7"), (.watchedStreams, #""[]""#),
    (.lastStream, "{"), (.lastStream, "{}{}"), (.lastStream, "{} x"), (.lastStream, "[,]"),
    (.lastStream, "<html></html>"), (.lastStream, #"{"live_start_at":}"#), (.lastGift, "nul"),
    (.lastStream, "\u{FEFF}{}"), (.lastStream, "{\"a\":\"\u{1}\"}"), (.lastStream, "{'a':1}"),
    (.lastStream, #"{"a":NaN}"#), (.lastStream, #"{"a":01}"#), (.watchedStreams, "[{},]"),
    (.lastStream, "\u{1F}\u{8B}\u{8}"), (.lastStream, "{\"live_start_at\":\"\\ud800\"}"),
  ])
  func aBadAnswer(route: Source, body: String) {
    #expect(read(route, body) == .failed(.badAnswer))
  }

  @Test func bytesThatAreNotUTF8AreABadAnswer() {
    let body = Array(#"{"a":"#.utf8) + [0x22, 0xFF, 0x22, 0x7D]
    #expect(RouteReader.read(.lastStream, body: body, naiveZone: tokyo) == .failed(.badAnswer))
  }

  @Test(arguments: Source.routes)
  func nestingIsReadTo32Levels(route: Source) {
    func nested(_ depth: Int) -> String {
      let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return route == .watchedStreams ? "[\(deep)]" : "{\"x\":\(deep)}"
    }
    #expect(read(route, nested(31)) != .failed(.badAnswer))
    #expect(read(route, nested(32)) == .failed(.badAnswer))
    #expect(read(route, nested(100_000)) == .failed(.badAnswer))
    #expect(read(route, String(repeating: "[", count: 100_000)) == .failed(.badAnswer))
  }
}
