internal import Foundations
internal import Ledger
internal import StrictJSON

/// Selects lines of a ledger: first by their bytes, then by their records.
struct LineFilter {
  /// Returns whether a line may be selected; rejected lines are not decoded.
  let isWanted: (UnsafeBufferPointer<UInt8>, LineOutline?) -> Bool
  /// Returns whether a record is selected.
  let isWantedRecord: (Record) -> Bool
}

/// Reads selected lines of one segment and checks that each has the number its position implies.
struct SegmentLines {
  let segment: SegmentFile
  let file: OpenFile
  /// The end of the lines that count.
  let end: Int
  let reader: LedgerReader

  /// Calls `body` with the selected records after `start`, in order, until it stops. With an index, it reads only lines of users
  /// with one of `numbers` and lines about no user; nil reads everything.
  func read(
    _ numbers: Set<UInt32>?, from start: SealPlace, _ filter: LineFilter,
    _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    var place = start
    if let numbers, let index = try reader.indexes?.index(of: segment, file, before: end),
      let wanted = try index.wanted(numbers)
    {
      if try read(wanted, filter, body) == .stop { return .stop }
      place = SealPlace(
        state: start.state, endByte: index.header.endByte, lines: index.header.lines)
    }
    var line = place.lines
    return try read(
      place.endByte..<end, &line, BlockReader(fileSystem: reader.fileSystem), filter, body)
  }

  /// Calls `body` with the selected records of some blocks and the records about no user, in order.
  private func read(
    _ wanted: SegmentIndex.Wanted, _ filter: LineFilter, _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    var common = wanted.common.filter(filter.isWantedRecord)[...]
    // The index provides those about no user.
    let filter = LineFilter { line, outline in
      outline?.user != nil && filter.isWanted(line, outline)
    } isWantedRecord: {
      filter.isWantedRecord($0)
    }
    let blocks = BlockReader(
      fileSystem: reader.fileSystem,
      blockBytes: SegmentIndex.blockBytes + RecordEncoder.lineLimitBytes)
    for block in wanted.blocks {
      var line = block.linesBefore
      let step = try read(block.bytes, &line, blocks, filter) { record in
        while let next = common.first, next.seq < record.seq {
          if try body(common.removeFirst()) == .stop { return .stop }
        }
        return try body(record)
      }
      if step == .stop { return .stop }
    }
    for record in common where try body(record) == .stop { return .stop }
    return .next
  }

  private func read(
    _ range: Range<Int>, _ line: inout Int, _ blocks: BlockReader, _ filter: LineFilter,
    _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    let rest = try blocks.readLines(file, range) { bytes, byte in
      line += 1
      guard filter.isWanted(bytes, LineOutline(bytes)) else { return .next }
      let record: Record
      do throws(JSONError) {
        record = try RecordDecoder.decode(bytes)
      } catch {
        throw damage(line, byte + error.offset, error.what)
      }
      let expected = segment.firstSeq + UInt64(line - 1)
      guard record.seq == expected else {
        throw damage(line, byte, "seq \(record.seq) after \(expected - 1)")
      }
      return filter.isWantedRecord(record) ? try body(record) : .next
    }
    guard let rest else { return .stop }
    if rest > 0 { throw damage(line, range.upperBound - rest, "a torn line of \(rest) bytes") }
    return .next
  }

  private func damage(_ line: Int, _ byte: Int, _ what: String) -> LedgerError {
    LedgerError(
      damage: [
        Damage(kind: .foreignLine, segment: segment.name, line: line, byte: byte, what: what)
      ], in: reader.folder)
  }
}
