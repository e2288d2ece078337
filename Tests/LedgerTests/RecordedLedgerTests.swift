import CivilTime
import Foundation
import Ledger
import TestSupport
import Testing

/// A ledger as version 1 wrote it: it must stay readable, byte for byte, for ever.
@Suite(.offThePool) struct RecordedLedgerTests {
  private struct Missing: Error {}

  private func recorded() throws -> [UInt8] {
    guard
      let url = Bundle.module.url(
        forResource: "format-1", withExtension: "jsonl", subdirectory: "Tables")
    else { throw Missing() }
    return Array(try Data(contentsOf: url))
  }

  @Test func itsChainHolds() throws {
    let bytes = try recorded()
    let (damage, head) = ChainTests.check(bytes)
    #expect(damage.isEmpty)
    #expect(try PlainChainCheck.check([bytes]) == Int(head.seq))
    #expect(
      head.description
        == "36:47e72927e1af884b0bedb1c716034f7bfda81ba8591f685c7ca15520965a358a")
  }

  @Test func everyLineReadsAndIsWrittenAgainAsItWas() throws {
    var encoder = RecordEncoder()
    var seen: Set<RecordType> = []
    for line in try recorded().split(separator: 0x0A) {
      let record = try RecordDecoder.decode(Array(line))
      seen.insert(record.body.type)
      var again: [UInt8] = []
      try encoder.append(record, to: &again)
      #expect(again == Array(line) + [0x0A])
    }
    #expect(seen == Set(RecordType.allCases).subtracting([.message]))
  }
}
