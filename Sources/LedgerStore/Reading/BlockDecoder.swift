internal import Foundations
internal import Ledger
internal import StrictJSON

/// Decodes the selected lines of a segment's blocks on several threads and passes the records on in order.
struct BlockDecoder {
  /// Large enough that dividing a block is worth starting threads.
  static let sharedBlockBytes = 4 << 20
  /// Small enough for one thread's cache, and larger than any line.
  private static let ownBlockBytes = 256 << 10
  /// How much to read at a time.
  let blockBytes: Int
  private let filter: LineFilter
  private let folder: String
  private let segment: SegmentFile
  private let skipping: UInt64
  private let threads: Int
  /// The sequence number of the next line, by count.
  private var next: UInt64
  private var byte: Int

  /// The selected records of some lines, up to the first unreadable one.
  private struct Piece: Sendable {
    /// The records, each with the line and the byte of the piece's block at which it begins.
    var records: [(line: Int32, byte: Int32, record: Record)] = []
    /// The number of lines before the unreadable one, or of all.
    var lines: Int32 = 0
    var failure: (byte: Int, error: JSONError)?
  }

  /// Creates a decoder of the lines of `segment` after `start` that `filter` selects, skipping those up to `skipping`.
  init(
    folder: String, segment: SegmentFile, start: SealPlace, skipping: UInt64, _ filter: LineFilter,
    threads: Int
  ) {
    blockBytes = threads == 1 ? Self.ownBlockBytes : Self.sharedBlockBytes
    self.filter = filter
    self.folder = folder
    self.segment = segment
    self.skipping = skipping
    self.threads = threads
    next = segment.firstSeq + UInt64(start.lines)
    byte = start.endByte
  }

  /// The position up to which lines have been decoded.
  var place: SealPlace {
    SealPlace(state: .origin, endByte: byte, lines: Int(next - segment.firstSeq))
  }

  /// Passes the selected records of the whole lines in `bytes` to `body`; returns how many bytes it consumed, and whether `body`
  /// stopped it.
  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Record) throws -> ReadingStep
  ) throws -> (consumed: Int, isDone: Bool) {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
      if bytes.count < blockBytes { return (0, false) }
      throw damage(at: byte, "the line is longer than \(RecordEncoder.lineLimitBytes) bytes")
    }
    let skipped = skip(UnsafeBufferPointer(rebasing: bytes[...end]))
    let lines = UnsafeBufferPointer(rebasing: bytes[skipped..<end + 1])
    let isWanted = filter.isWanted
    let pieces = LinePieces.map(lines, threads: threads) { Self.piece($0, $1, isWanted) }
    for piece in pieces {
      let first = next
      for (line, start, record) in piece.records {
        next = first + UInt64(line)
        guard record.seq == next else {
          throw damage(at: byte + skipped + Int(start), "seq \(record.seq) after \(next - 1)")
        }
        if filter.isWantedRecord(record), try body(record) == .stop { return (0, true) }
      }
      next = first + UInt64(piece.lines)
      if let (offset, error) = piece.failure {
        throw damage(at: byte + skipped + offset + error.offset, error.what)
      }
    }
    byte += end + 1
    return (end + 1, false)
  }

  /// Returns the error for a segment that ends in the middle of a line.
  func torn(_ rest: Int) -> LedgerError { damage(at: byte, "a torn line of \(rest) bytes") }

  private func damage(at byte: Int, _ what: String) -> LedgerError {
    LedgerError(
      damage: [
        Damage(
          kind: .foreignLine, segment: segment.name, line: Int(next - segment.firstSeq) + 1,
          byte: byte, what: what)
      ], in: folder)
  }

  /// Skips lines up to `skipping`; returns how many bytes it consumed.
  private mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var position = 0
    while next <= skipping, position < bytes.count,
      let end = LinePieces.newline(in: bytes, from: position)
    {
      position = end + 1
      next += 1
    }
    return position
  }

  private static func piece(
    _ lines: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
    _ isWanted: ((UnsafeBufferPointer<UInt8>, LineOutline?) -> Bool)?
  ) -> Piece {
    var piece = Piece()
    // Few lines are shorter than this; spare room costs only address space.
    if isWanted == nil { piece.records.reserveCapacity(range.count / 200) }
    var position = range.lowerBound
    while position < range.upperBound, let end = LinePieces.newline(in: lines, from: position) {
      let line = UnsafeBufferPointer(rebasing: lines[position..<end])
      if isWanted?(line, LineOutline(line)) ?? true {
        do throws(JSONError) {
          let record = try RecordDecoder.decode(line)
          piece.records.append((piece.lines, Int32(position), record))
        } catch {
          piece.failure = (position, error)
          return piece
        }
      }
      piece.lines += 1
      position = end + 1
    }
    return piece
  }
}
