internal import Foundations
internal import Ledger
internal import StrictJSON

/// Decodes blocks of a segment's lines on several threads and passes the records on in order.
struct BlockDecoder {
  /// Large enough that dividing a block is worth starting threads.
  static let blockBytes = 4 << 20
  private let folder: String
  private let segment: SegmentFile
  private let skipping: UInt64
  private let threads: Int
  /// The sequence number of the next line, by count.
  private var next: UInt64
  private var byte: Int
  private let blockBytes: Int

  /// The records of some lines, up to the first unreadable one.
  private struct Piece: Sendable {
    var records: [Record] = []
    var failure: (byte: Int, error: JSONError)?
  }

  /// Creates a decoder of the lines of `segment` after `start`, skipping those up to `skipping`.
  init(
    folder: String, segment: SegmentFile, start: SealPlace, skipping: UInt64, threads: Int,
    blockBytes: Int = Self.blockBytes
  ) {
    self.blockBytes = blockBytes
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

  /// Passes the records of the whole lines in `bytes` to `body`; returns how many bytes it consumed, and whether `body` stopped
  /// it.
  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Record) throws -> ReadingStep
  ) throws -> (consumed: Int, isDone: Bool) {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
      if bytes.count < blockBytes { return (0, false) }
      throw damage(at: byte, "the line is longer than \(RecordEncoder.lineLimitBytes) bytes")
    }
    let skipped = skip(UnsafeBufferPointer(rebasing: bytes[...end]))
    let lines = UnsafeBufferPointer(rebasing: bytes[skipped..<end + 1])
    for piece in LinePieces.map(lines, threads: threads, Self.piece) {
      for record in piece.records {
        guard record.seq == next else {
          throw damage(at: byte, "seq \(record.seq) after \(next - 1)")
        }
        if try body(record) == .stop { return (0, true) }
        next += 1
      }
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
    _ lines: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> Piece {
    var piece = Piece()
    // Few lines are shorter than this; spare room costs only address space.
    piece.records.reserveCapacity(range.count / 200)
    var position = range.lowerBound
    while position < range.upperBound, let end = LinePieces.newline(in: lines, from: position) {
      do throws(JSONError) {
        let line = UnsafeBufferPointer(rebasing: lines[position..<end])
        piece.records.append(try RecordDecoder.decode(line))
      } catch {
        piece.failure = (position, error)
        return piece
      }
      position = end + 1
    }
    return piece
  }
}
