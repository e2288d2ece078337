internal import Foundations
internal import Ledger
internal import StrictJSON

/// Reads the lines of one segment that are about certain users or about none, with an index if there is one.
struct SegmentLines {
  let segment: SegmentFile
  let file: OpenFile
  /// The end of the lines that count.
  let end: Int
  let reader: LedgerReader

  /// A line of the segment.
  struct Line {
    /// The line without its `\n`.
    let bytes: UnsafeBufferPointer<UInt8>
    let outline: LineOutline?
    /// Its number in the segment, from 1, and its first byte there.
    let number: Int
    let byte: Int
    /// The record, if the line comes from the index.
    var record: Record?
  }

  /// Calls `body` with the records that `filter` selects after `start`, in order, until it stops.
  func scan(
    _ numbers: Set<UInt32>, from start: SealPlace, _ filter: LineFilter,
    _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    try scanLines(numbers, from: start) { line in
      let record: Record
      if let known = line.record {
        record = known
      } else {
        guard filter.isWanted?(line.bytes, line.outline) ?? true else { return .next }
        do throws(JSONError) {
          record = try RecordDecoder.decode(line.bytes)
        } catch {
          throw damage(line.number, line.byte + error.offset, error.what)
        }
        let expected = segment.firstSeq + UInt64(line.number - 1)
        guard record.seq == expected else {
          throw damage(line.number, line.byte, "seq \(record.seq) after \(expected - 1)")
        }
      }
      return filter.isWantedRecord(record) ? try body(record) : .next
    }
  }

  /// Calls `body` with lines after `start`, in order, until it stops: up to where an index reaches, with those in its blocks of
  /// the users with one of `numbers`, who may be others, and with those about no user except seals and runs, then with all.
  func scanLines(
    _ numbers: Set<UInt32>, from start: SealPlace, _ body: (Line) throws -> ReadingStep
  ) throws -> ReadingStep {
    var (begin, before) = (start.endByte, start.lines)
    if let index = try reader.indexes?.index(of: segment, file, before: end),
      let wanted = try index.wanted(numbers)
    {
      if try scan(wanted, index, body) == .stop { return .stop }
      (begin, before) = (index.header.endByte, index.header.lines)
    }
    return try scan(begin..<end, after: before, BlockReader(fileSystem: reader.fileSystem), body)
  }

  private func scan(
    _ wanted: SegmentIndex.Wanted, _ index: SegmentIndex, _ body: (Line) throws -> ReadingStep
  ) throws -> ReadingStep {
    try index.commonLines.withUnsafeBufferPointer { bytes in
      var common = zip(wanted.common, bytes.split(separator: UInt8(ascii: "\n"))).map {
        Line(
          bytes: UnsafeBufferPointer(rebasing: $1), outline: nil,
          number: Int($0.seq - segment.firstSeq) + 1, byte: index.header.endByte, record: $0)
      }[...]
      let blocks = BlockReader(
        fileSystem: reader.fileSystem,
        blockBytes: SegmentIndex.blockBytes + RecordEncoder.lineLimitBytes)
      for block in wanted.blocks {
        let step = try scan(block.bytes, after: block.linesBefore, blocks) { line in
          while let next = common.first, next.number < line.number {
            if try body(common.removeFirst()) == .stop { return .stop }
          }
          // The index provides those about no user.
          return line.outline?.user == nil ? .next : try body(line)
        }
        if step == .stop { return .stop }
      }
      for line in common where try body(line) == .stop { return .stop }
      return .next
    }
  }

  private func scan(
    _ range: Range<Int>, after before: Int, _ blocks: BlockReader,
    _ body: (Line) throws -> ReadingStep
  ) throws -> ReadingStep {
    var number = before
    let rest = try blocks.readLines(file, range) { bytes, byte in
      number += 1
      return try body(
        Line(bytes: bytes, outline: LineOutline(bytes), number: number, byte: byte))
    }
    guard let rest else { return .stop }
    if rest > 0 { throw damage(number, range.upperBound - rest, "a torn line of \(rest) bytes") }
    return .next
  }

  /// Returns the error for a line that is no record.
  func damage(_ line: Int, _ byte: Int, _ what: String) -> LedgerError {
    LedgerError(
      damage: [
        Damage(kind: .foreignLine, segment: segment.name, line: line, byte: byte, what: what)
      ], in: reader.folder)
  }
}
