public import Ledger
internal import StrictJSON

/// Reads a ledger's lines in order, up to a seal: for projections and exports, beside a writer or without one.
///
/// Blocks the caller: never on the cooperative pool.
public struct LedgerReader: Sendable {
  /// The ledger's id.
  public let ledger: String
  /// The seal up to which lines are read.
  public let head: LedgerHead

  let folder: String
  let fileSystem: any FileSystem
  /// The segment that holds the head's seal, and where that ends.
  let lastSegment: SegmentFile
  let endByte: Int

  /// Calls `body` with every record after `seq`, seals included, in order; stops when it throws.
  public func readRecords(
    after seq: UInt64, _ body: (Record) throws -> Void
  ) throws {
    try walk(after: seq) { place, line in
      do throws(JSONError) {
        let record = try RecordDecoder.decode(line)
        guard record.seq == place.seq else {
          throw JSONError(offset: 0, what: "seq \(record.seq), expected \(place.seq)")
        }
        return record
      } catch {
        throw LedgerError(
          damage: [
            Damage(
              kind: .foreignLine, segment: place.segment.name, line: place.line,
              byte: place.byte + error.offset, what: error.what)
          ], in: folder)
      }
    } use: { record, _ in
      try body(record)
    }
  }

  /// Calls `body` with the number and the exact bytes, `\n` included, of every line after `seq`.
  public func readLines(
    after seq: UInt64, _ body: (UInt64, UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    try walk(after: seq) { place, _ in
      place.seq
    } use: { seq, line in
      // The walk gives lines out of a block of whole lines: the `\n` stands behind each.
      try body(seq, UnsafeBufferPointer(start: line.baseAddress, count: line.count + 1))
    }
  }

  /// Where a line stands.
  private struct Place {
    let segment: SegmentFile
    let seq: UInt64
    let line: Int
    let byte: Int
  }

  private func walk<Item>(
    after seq: UInt64, _ read: (Place, UnsafeBufferPointer<UInt8>) throws -> Item,
    use: (Item, UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    let (segments, _) = try SegmentFile.list(in: folder, fileSystem)
    let wanted = segments.filter { $0.firstSeq <= lastSegment.firstSeq }
    let first = wanted.lastIndex { $0.firstSeq <= seq &+ 1 } ?? 0
    for segment in wanted.dropFirst(first) {
      try fileSystem.reading(segment.path) { file in
        let end = segment == lastSegment ? endByte : try fileSystem.size(of: file)
        var line = 0
        _ = try BlockReader(fileSystem: fileSystem).readLines(file, 0..<end) { bytes, start in
          line += 1
          let place = Place(
            segment: segment, seq: segment.firstSeq + UInt64(line) - 1, line: line, byte: start)
          if place.seq > seq { try use(try read(place, bytes), bytes) }
          return .next
        }
      }
    }
  }
}
