import Ledger
import TestSupport
import Testing

/// Lines that are passed over by their beginnings.
@Suite(.offThePool) struct UserChoiceTests {
  private func line(_ body: RecordBody) throws -> [UInt8] {
    var encoder = RecordEncoder()
    var bytes: [UInt8] = []
    try encoder.append(Record(seq: 7, at: SampleRecords.instant, body: body), to: &bytes)
    return Array(bytes.dropLast())
  }

  /// Nobody's line is passed over by the choice that the user is in.
  @Test(arguments: RecordType.allCases) func aLineConcernsTheChoiceOfItsUser(
    _ type: RecordType
  ) throws {
    var samples = SampleRecords(seed: 11)
    for number in 0..<200 {
      let body = samples.body(type)
      let bytes = try line(body)
      let decoded = try RecordDecoder.decode(bytes).body.user
      bytes.withUnsafeBufferPointer { bytes in
        let outline = LineOutline(bytes)
        let typeText = outline.map { String(decoding: bytes[$0.type], as: UTF8.self) }
        #expect(typeText == type.rawValue)
        for count in [1, 2, 5] {
          for share in 0..<count {
            let choice = UserChoice.share(share, of: count)
            guard let decoded, choice.includes(decoded) else { continue }
            #expect(choice.mayConcern(bytes, outline), "sample \(number)")
          }
        }
      }
    }
  }

  @Test func sharesDivideUsersEvenlyAndWithoutOverlap() {
    let users = (0..<10_000).map { "u\($0)" }
    for count in [1, 2, 3, 8] {
      let shares = (0..<count).map { UserChoice.share($0, of: count) }
      let sizes = shares.map { share in users.count { share.includes($0) } }
      #expect(sizes.reduce(0, +) == users.count)
      #expect(sizes.allSatisfy { $0 > users.count / count * 8 / 10 }, "\(sizes)")
    }
    let named = UserChoice.named(["u1", "u7"])
    #expect(users.filter(named.includes) == ["u1", "u7"])
  }
}
