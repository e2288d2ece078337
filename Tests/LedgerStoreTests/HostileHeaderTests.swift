import Digests
import Foundations
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// Numbers from a disk that errs, or from somebody who means harm: no memory for what they claim, and no trap.
@Suite(.offThePool) struct HostileHeaderTests {
  private func table(_ frames: [(packed: Int, original: Int)]) -> SeekTable? {
    var written = SeekTable()
    for frame in frames { written.append(packed: frame.packed, original: frame.original) }
    let file = [UInt8](repeating: 7, count: written.packedBytes) + written.bytes
    let read = try? SeekTable(size: file.count) { (range: Range<Int>) throws(FileError) in
      Array(file[range])
    }
    return read.flatMap { $0 }
  }

  @Test(arguments: [
    (131_072, true), (16 << 20, true), (16 << 20 | 1, false), (1 << 30, false), (1 << 31, false),
    (Int(UInt32.max), false),
  ])
  func aFrameClaimsNoMoreThanAFrameHolds(original: Int, isBelieved: Bool) {
    #expect((table([(40, 131_072), (50, original)]) != nil) == isBelieved)
  }

  @Test(
    arguments: ["seq", "offset", "line", "payloadBytes"],
    [.max, .max - 4_096, -1, .min] as [Int64])
  func aSnapshotsHeaderLeavesRoomForSums(field: String, number: Int64) {
    let header = SnapshotHeader(
      ledger: "l", head: .init(seq: 5, hash: .zero), segment: "s", endByte: 7, lines: 5, payload: []
    )
    let text = String(decoding: header.line.dropLast(), as: UTF8.self)
    func read(_ text: String) -> SnapshotHeader? {
      Array(text.utf8).withUnsafeBufferPointer { SnapshotHeader($0) }
    }
    #expect(read(text) == header)
    let pattern = try? Regex("\"\(field)\":[0-9]+")
    let forged = pattern.map { text.replacing($0, with: "\"\(field)\":\(number)") } ?? text
    #expect(forged != text && read(forged) == nil)
  }
}
