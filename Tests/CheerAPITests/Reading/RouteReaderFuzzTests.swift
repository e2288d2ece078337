import CheerAPI
import CivilTime
import Evidence
import Foundation
import TestSupport
import Testing

/// Whatever bytes come, the reader answers, and never more than a JSON parser would allow.
@Suite(.offThePool) struct RouteReaderFuzzTests {
  private let seed: UInt64 = 0x5EED_0603
  private let samples = [
    #"{"live_start_at":"2026-11-20 21:00:00","live_end_at":"2026-11-20T12:00:10.25Z"}"#,
    #"[{"subscribe_start_at":"2026-11-20 21:00:00","subscribe_end_at":null},{"a":[1,2.5e3,"é"]}]"#,
    #"{"gift_id":"3","userId_recieved_gift":9,"created_at":"2026-11-20T21:00:00+09:00"}"#,
    #"{"a":{"b":[null,true,false,-0.0]},"live_start_at":"2026-11-20\u002021:00:00"}"#,
  ].map { Array($0.utf8) }

  @Test func mutations() {
    var random = SeededRandom(seed: seed)
    var counts = (answered: 0, failed: 0)
    for round in 0..<100_000 {
      let body = mutation(&random)
      let route = Source.routes[round % 3]
      switch RouteReader.read(route, body: body, naiveZone: tokyo) {
      case .answered(let activities, let refused):
        counts.answered += 1
        #expect(activities.allSatisfy { $0.to >= $0.from })
        #expect(activities.count + refused.count <= body.count, "seed \(seed), round \(round)")
      case .failed(let cause):
        counts.failed += 1
        #expect(cause == .badAnswer, "seed \(seed), round \(round)")
      case .counted: Issue.record("a number, seed \(seed), round \(round)")
      }
    }
    #expect(counts.answered > 1_000 && counts.failed > 1_000, "seed \(seed): \(counts)")
  }

  @Test func whatIsReadIsJSONToFoundationToo() {
    var random = SeededRandom(seed: seed + 1)
    for round in 0..<20_000 {
      let body = mutation(&random)
      guard case .answered = RouteReader.read(.lastStream, body: body, naiveZone: tokyo),
        !body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) })
      else { continue }
      let parsed = try? JSONSerialization.jsonObject(
        with: Data(body), options: .fragmentsAllowed)
      #expect(
        parsed != nil, "seed \(seed), round \(round): \(String(decoding: body, as: UTF8.self))")
    }
  }

  private func mutation(_ random: inout SeededRandom) -> [UInt8] {
    if Int.random(in: 0..<10, using: &random) == 0 {
      return (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0 ... .max, using: &random)
      }
    }
    var body = samples[Int.random(in: 0..<samples.count, using: &random)]
    for _ in 0..<Int.random(in: 0...3, using: &random) where !body.isEmpty {
      let at = Int.random(in: 0..<body.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: body[at] = UInt8.random(in: 0 ... .max, using: &random)
      case 1: body.remove(at: at)
      case 2: body.insert(Array("{}[]\",:0\\".utf8).randomElement(using: &random) ?? 0, at: at)
      default: body.removeSubrange(at...)
      }
    }
    return body
  }
}
