internal import Foundations
internal import Ledger
internal import StrictJSON

extension LedgerReader {
  /// Folds all lines into parts, on several threads at a time, and passes the parts on in line order.
  ///
  /// Each part begins as `empty` and takes some thousand lines, without their `\n`, through `add`, which runs on up to `threads`
  /// threads. `body` is called with each part on the caller's thread, until it stops. If `add` throws, folding stops with the
  /// place of that line.
  func foldLines<Part: Sendable>(
    into empty: Part, threads: Int,
    _ add: @escaping @Sendable (inout Part, UnsafeBufferPointer<UInt8>) throws(JSONError) -> Void,
    _ body: (Part) throws -> ReadingStep
  ) throws {
    try eachSegment(after: 0) { segment, file, start, end in
      let folding = LineFolding(
        empty: empty, add: add, segment: segment, folder: folder, threads: threads)
      var byte = start.endByte
      let reader = BlockReader(fileSystem: fileSystem, blockBytes: BlockDecoder.sharedBlockBytes)
      let rest = try reader.read(file, start.endByte..<end) { bytes in
        let (count, isDone) = try folding.fold(bytes, at: byte, body)
        byte += count
        return (count, isDone)
      }
      guard let rest else { return .stop }
      if rest > 0 { throw folding.damage(at: byte, "a torn line of \(rest) bytes") }
      return .next
    }
  }
}

/// Folds the lines of a segment's blocks.
private struct LineFolding<Part: Sendable>: Sendable {
  let empty: Part
  let add: @Sendable (inout Part, UnsafeBufferPointer<UInt8>) throws(JSONError) -> Void
  let segment: SegmentFile
  let folder: String
  let threads: Int

  /// The result of some lines, up to the first unreadable one.
  private struct Piece: Sendable {
    var part: Part
    var failure: (byte: Int, error: JSONError)?
  }

  /// Folds the whole lines in `bytes`, which begin at the segment's `byte`; returns how many bytes it consumed, and whether
  /// `body` stopped it.
  func fold(
    _ bytes: UnsafeBufferPointer<UInt8>, at byte: Int, _ body: (Part) throws -> ReadingStep
  ) throws -> (consumed: Int, isDone: Bool) {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
      if bytes.count < BlockDecoder.sharedBlockBytes { return (0, false) }
      throw damage(at: byte, "the line is longer than \(RecordEncoder.lineLimitBytes) bytes")
    }
    let lines = UnsafeBufferPointer(rebasing: bytes[...end])
    for piece in LinePieces.map(lines, threads: threads, piece) {
      if try body(piece.part) == .stop { return (0, true) }
      if let (offset, error) = piece.failure {
        throw damage(at: byte + offset, error.what)
      }
    }
    return (end + 1, false)
  }

  /// Returns the error for a line that begins at `byte`.
  func damage(at byte: Int, _ what: String) -> LedgerError {
    // Lines are not counted here: a verification finds the number.
    LedgerError(
      damage: [
        Damage(kind: .foreignLine, segment: segment.name, line: 0, byte: byte, what: what)
      ], in: folder)
  }

  private func piece(_ lines: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Piece {
    var piece = Piece(part: empty)
    var position = range.lowerBound
    while position < range.upperBound, let end = LinePieces.newline(in: lines, from: position) {
      do throws(JSONError) {
        try add(&piece.part, UnsafeBufferPointer(rebasing: lines[position..<end]))
      } catch {
        piece.failure = (position, error)
        return piece
      }
      position = end + 1
    }
    return piece
  }
}
