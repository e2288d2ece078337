import Foundation
import Foundations
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Damage to a larger ledger, byte by byte. `REWARDS_DAMAGE=full` takes every one of the last 65,536 bytes, 10,000 bits and
/// 1,000 lines; without it a sample.
@Suite(.offThePool) struct ThoroughDamageTests {
  private static let isFull = ProcessInfo.processInfo.environment["REWARDS_DAMAGE"] == "full"

  private static func ledger() async throws -> Bench {
    let bench = try Bench()
    let store = try bench.open()
    for group in 0..<110 {
      _ = try store.append((0..<3).map { Bench.grant(group * 3 + $0) })
    }
    store.close()
    return bench
  }

  /// In eight parts, side by side.
  @Test(.timeLimit(.minutes(30)), arguments: 0..<8)
  func everyCutGivesTheLongestSealedPrefix(part: Int) async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(0)
    let whole = try contents(path)
    try #require(whole.count > 65_536)
    let ends = sealEnds(in: whole)
    var wrong: [Int] = []
    let step = Self.isFull ? 8 : 397 * 8
    for count in stride(from: whole.count - 65_536 + part * step / 8, to: whole.count, by: step) {
      try put(Array(whole[..<count]), at: path)
      let store = try bench.open()
      store.close()
      let expected = ends.last { $0 <= count } ?? 0
      if try contents(path) != Array(whole[..<expected]) { wrong.append(count) }
    }
    #expect(wrong == [])
  }

  @Test(.timeLimit(.minutes(30))) func noFlippedBitIsSilent() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(0)
    let whole = try contents(path)
    var random = SplitMix64(seed: 11)
    var silent: [Int] = []
    for _ in 0..<(Self.isFull ? 10_000 : 100) {
      let index = Int(random.number(in: 0...Int64(whole.count - 1)))
      var broken = whole
      broken[index] ^= 1 << UInt8(random.number(in: 0...7))
      try put(broken, at: path)
      if try bench.verify().damage.isEmpty { silent.append(index) }
    }
    #expect(silent == [])
  }

  @Test(.timeLimit(.minutes(30)), arguments: ["deleted", "swapped", "doubled", "edited"])
  func noTouchedLineIsSilent(how: String) async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(0)
    let lines = try contents(path).split(separator: 0x0A).map { Array($0) + [0x0A] }
    var random = SplitMix64(seed: 12)
    var silent: [Int] = []
    for _ in 0..<(Self.isFull ? 250 : 20) {
      // Not the last batch: a ledger that ends earlier is whole as far as the file can tell.
      let index = Int(random.number(in: 0...Int64(lines.count - 6)))
      var touched = lines
      switch how {
      case "deleted": touched.remove(at: index)
      case "swapped": touched.swapAt(index, index + 1)
      case "doubled": touched.insert(touched[index], at: index)
      default: touched[index][touched[index].count / 2] ^= 1
      }
      try put(touched.flatMap { $0 }, at: path)
      let report = try bench.verify()
      let isNamed = report.damage.contains { !$0.segment.isEmpty && $0.line > 0 && $0.byte >= 0 }
      if !isNamed { silent.append(index) }
    }
    #expect(silent == [], "\(how)")
  }
}
