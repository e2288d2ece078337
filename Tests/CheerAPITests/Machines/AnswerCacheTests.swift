import CivilTime
import Evidence
import HTTPClient
import TestSupport
import Testing

@testable import CheerAPI

/// More users than answers are kept: those that are there go on saving theirs, round after round.
@Suite(.offThePool) struct AnswerCacheTests {
  private static func answer(_ tag: String) -> AnswerCache.Answer? {
    let headers = HTTPHeaders(lines: Array("ETag: \"\(tag)\"\r\n".utf8))
    return AnswerCache.Answer(
      response: HTTPResponse(status: 200, headers: headers), outcome: .answered([], refused: []))
  }

  private static func call(_ user: Int) -> CheerCall {
    CheerCall(route: .source(.lastGift), user: "\(user)")
  }

  /// Asks for all in turn; how many had an answer.
  private static func round(
    _ users: Range<Int>, at now: Instant, _ cache: inout AnswerCache
  ) -> Int {
    var known = 0
    for user in users {
      let before = cache[call(user)]
      known += before == nil ? 0 : 1
      cache.store(before ?? answer("\(user)"), for: call(user), at: now)
    }
    return known
  }

  @Test func whatFitsHelpsInEveryRound() {
    var cache = AnswerCache(capacity: 10)
    let begin = Instant(seconds: 1_795_176_000)
    let rounds = (0..<40).map {
      Self.round(0..<100, at: begin.adding(seconds: Int64($0) * 7_200), &cache)
    }
    #expect(rounds == [0] + Array(repeating: 10, count: 39))
  }

  @Test func whoIsAskedNoMoreMakesRoom() {
    var cache = AnswerCache(capacity: 10)
    let begin = Instant(seconds: 1_795_176_000)
    _ = Self.round(0..<10, at: begin, &cache)
    let rounds = (0..<30).map {
      Self.round(5..<20, at: begin.adding(seconds: Int64($0) * 7_200), &cache)
    }
    #expect(rounds.first == 5 && rounds.last == 10)
    cache.store(nil, for: Self.call(5), at: begin)
    #expect(cache[Self.call(5)] == nil)
  }
}
