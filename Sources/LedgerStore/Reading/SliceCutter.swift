internal import Ledger
internal import StrictJSON

/// Picks the wanted lines out of blocks of one segment.
struct SliceCutter {
  let selection: LineSelection
  /// What lines become; nil for lines as they are.
  let rows: CSVLines?
  let segment: SegmentFile
  let folder: String
  let threads: Int

  /// The wanted lines of a piece, up to the first that cannot be read.
  private struct Piece: Sendable {
    var bytes: [UInt8] = []
    var failure: (byte: Int, error: JSONError)?
  }

  /// Hands what is wanted of the whole lines in `bytes`, which begin at the segment's `byte`, to `body`; returns how many
  /// bytes they have.
  func cut(
    _ bytes: UnsafeBufferPointer<UInt8>, at byte: Int, _ body: ([UInt8]) throws -> Void
  ) throws -> Int {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
      if bytes.count < BlockDecoder.blockBytes { return 0 }
      throw damage(at: byte, "the line is longer than \(RecordEncoder.lineLimitBytes) bytes")
    }
    let lines = UnsafeBufferPointer(rebasing: bytes[...end])
    for piece in LinePieces.map(lines, threads: threads, piece) {
      if !piece.bytes.isEmpty { try body(piece.bytes) }
      if let (offset, error) = piece.failure {
        throw damage(at: byte + offset, error.what)
      }
    }
    return end + 1
  }

  /// The error of a line that begins at `byte`.
  func damage(at byte: Int, _ what: String) -> LedgerError {
    // Lines are not counted on the way: who needs the number asks for a verification.
    LedgerError(
      damage: [
        Damage(kind: .foreignLine, segment: segment.name, line: 0, byte: byte, what: what)
      ], in: folder)
  }

  private func piece(_ lines: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Piece {
    var piece = Piece()
    var selector = LineSelector(selection)
    var position = range.lowerBound
    while position < range.upperBound, let end = LinePieces.newline(in: lines, from: position) {
      let line = UnsafeBufferPointer(rebasing: lines[position..<end])
      do throws(JSONError) {
        if try selector.includes(line) {
          if let rows {
            try rows.append(line, to: &piece.bytes)
          } else {
            piece.bytes.append(contentsOf: lines[position...end])
          }
        }
      } catch {
        piece.failure = (position, error)
        return piece
      }
      position = end + 1
    }
    return piece
  }
}
