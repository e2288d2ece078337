import CivilTime
import Ledger
import LedgerStore
import TestSupport
import Testing

/// A chain of lines that are not the ledger's own records, as the relay keeps for each sink.
@Suite(.offThePool) struct SealedLogTests {
  private let at = Instant(seconds: 1_795_186_799)

  private func line(_ seq: UInt64) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var encoder = RecordEncoder()
    if seq == 1 {
      let genesis = GenesisRecord(format: 1, ledger: "l", program: "p")
      try encoder.append(Record(seq: seq, at: at, body: .genesis(genesis)), to: &bytes)
    } else {
      encoder.appendFrame(seq: seq, at: at, to: &bytes)
      bytes += Array("\"type\":\"attempt\",\"sink\":\"notify\"}\n".utf8)
    }
    return bytes
  }

  @Test func linesOfOtherTypesAreSealedRolledAndReadAgain() throws {
    let folder = try TemporaryFolder()
    var heads: [LedgerHead] = []
    for _ in 0..<20 {
      let (log, cut) = try SealedLog.open(
        folder: folder.path, stateFolder: folder.path, segmentLimitBytes: 1_000)
      #expect(cut == nil && log.state.head == heads.last ?? .origin)
      var lines = try line(log.state.seq + 1)
      heads.append(try log.commit(&lines, count: 1, at: at))
      log.close()
    }
    let segments = try names(in: folder.path)
    #expect(segments.count > 4)
    let report = try LedgerVerifier(folder: folder.path).verify(heads: heads)
    #expect(report.damage.isEmpty && report.head.seq == 40)
    var seqs: [UInt64] = []
    try LedgerReader.open(folder: folder.path).readLines(after: 30) { seq, _ in seqs.append(seq) }
    #expect(seqs == Array(31...40))
  }

  @Test func aTornTailIsCutAndDamageIsRefused() throws {
    let folder = try TemporaryFolder()
    let (log, _) = try SealedLog.open(folder: folder.path, stateFolder: folder.path)
    var lines = try line(1)
    let head = try log.commit(&lines, count: 1, at: at)
    log.close()
    let path = folder.path + "/00000000000000000001.jsonl"
    try put(lines + [0, 0, 0], at: path)
    let (again, cut) = try SealedLog.open(folder: folder.path, stateFolder: folder.path)
    #expect(again.state.head == head && cut?.count == 3)
    again.close()
    lines[10] ^= 1
    try put(lines, at: path)
    #expect(throws: LedgerError.self) {
      _ = try SealedLog.open(folder: folder.path, stateFolder: folder.path)
    }
  }
}
