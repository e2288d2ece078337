internal import Foundations
internal import Glibc

/// Divides a block of whole lines among threads.
enum LinePieces {
  /// Smaller pieces are not worth a thread.
  private static let pieceBytes = 64 << 10

  /// Returns the results of `body` for each piece, in line order; a piece is passed as a range of `lines`.
  static func map<Result: Sendable>(
    _ lines: UnsafeBufferPointer<UInt8>, threads: Int,
    _ body: @Sendable (UnsafeBufferPointer<UInt8>, Range<Int>) -> Result
  ) -> [Result] {
    let count = max(1, min(threads, lines.count / pieceBytes))
    if count == 1 { return [body(lines, 0..<lines.count)] }
    let bounds =
      [0]
      + (1..<count).map { part in
        (newline(in: lines, from: lines.count / count * part) ?? lines.count - 1) + 1
      } + [lines.count]
    let results = Lock([Result?](repeating: nil, count: count))
    // The block outlives the call: perform returns only when all pieces are done.
    nonisolated(unsafe) let shared = lines
    Concurrently.perform(count) { part in
      let result = body(shared, bounds[part]..<bounds[part + 1])
      results.withLock { $0[part] = result }
    }
    return results.withLock { $0.compactMap { $0 } }
  }

  /// Returns the next `\n` at or after `start`.
  static func newline(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, start < bytes.count,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
