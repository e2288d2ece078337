import CivilTime
public import Digests

import func Glibc.memchr

/// Checks a stretch of one segment line by line: sequence, times and seals, and locates damage.
///
/// Feed the bytes in order, in pieces of any size; memory does not grow with them. After damage the check continues
/// from what the file claims, so that one fault is reported once. The caller checks that keys are unique: ``grants``
/// lists them. Pure and not thread-safe, but stretches that begin after a seal may be checked in parallel.
public struct ChainChecker: ~Copyable {
  /// The most damage that one checker lists.
  public static let damageLimit = 10_000

  let segment: String
  let heads: [UInt64: Digest]
  var scanner = LineScanner()
  var hash = SHA256()
  var overlongBytes = 0
  var batchLines = 0
  var batchStart: (line: Int, byte: Int)
  /// The damage so far, with lines counted from the start of the stretch.
  public internal(set) var damage: [Damage] = []
  /// The grants' keys, in order. The caller may remove them at any time.
  public var grants: [GrantMark] = []
  /// The counts of the lines so far; nil if they are not counted, or one cannot be.
  public internal(set) var counts: LineCounts?
  /// The numbers of lines that were taken back.
  public internal(set) var undone: [ClosedRange<UInt64>] = []
  /// The state after the last line.
  public internal(set) var state: ChainState
  /// The number of lines so far.
  public internal(set) var lines = 0
  /// The offset in the segment of the next byte to feed.
  public internal(set) var byte: Int
  /// The last seal, or the start of the stretch.
  public internal(set) var lastSeal: SealPlace
  /// The seal before that, or the start of the stretch.
  public internal(set) var sealBefore: SealPlace
  /// Which of the given heads the stretch contains.
  public internal(set) var foundHeads: Set<UInt64> = []

  /// Creates a checker for the bytes of `segment` from `byte` on, after the seal of `state`.
  ///
  /// `heads` are known from outside, by sequence number. A seal that contradicts one is damage. Lines are added to `counts`.
  public init(
    segment: String, after state: ChainState, byte: Int, heads: [UInt64: Digest] = [:],
    counts: LineCounts? = nil
  ) {
    self.counts = counts
    self.segment = segment
    self.heads = heads
    self.state = state
    self.byte = byte
    batchStart = (1, byte)
    lastSeal = SealPlace(state: state, endByte: byte, lines: 0)
    sealBefore = lastSeal
    state.hash.withBytes { hash.update($0) }
  }

  /// Checks the complete lines at the start of `bytes`; returns how many bytes they have and whether the stretch is done.
  ///
  /// The stretch is done after the first seal whose line begins at or after the segment offset `boundary`. Feed the
  /// bytes not consumed again, followed by more.
  public mutating func feed(
    _ bytes: UnsafeBufferPointer<UInt8>, until boundary: Int
  ) -> (consumed: Int, isDone: Bool) {
    guard let base = bytes.baseAddress else { return (0, false) }
    var position = 0
    var unhashed = 0
    var isDone = false
    while !isDone, let end = Self.newline(base, position, bytes.count) {
      let line = UnsafeBufferPointer(start: base + position, count: end - position)
      let start = byte + position
      lines += 1
      position = end + 1
      guard let seal = check(line, at: start) else { continue }
      hash.update(
        UnsafeRawBufferPointer(bytes).prefix(start - byte + seal.coveredBytes, from: unhashed))
      unhashed = position
      close(seal, at: start, end: byte + position)
      isDone = start >= boundary
    }
    if position == 0, bytes.count > RecordEncoder.lineLimitBytes {
      // No line is that long, so it is skipped piece by piece.
      overlongBytes += bytes.count
      position = bytes.count
    }
    hash.update(UnsafeRawBufferPointer(bytes).prefix(position, from: unhashed))
    byte += position
    return (position, isDone)
  }

  /// Ends the stretch at the end of its segment, with `rest` bytes left over that have no line end.
  public mutating func finish(rest: Int, isLastSegment: Bool) {
    let torn = rest + overlongBytes
    guard batchLines > 0 || torn > 0 else { return }
    let tornText = torn > 0 ? " and a torn line of \(torn) bytes" : ""
    note(
      isLastSegment ? .unsealedTail : .unsealedSegment, line: batchStart.line,
      byte: lastSeal.endByte, "\(batchLines) unsealed lines\(tornText) at the end")
  }

  @inline(__always)
  private static func newline(
    _ base: UnsafePointer<UInt8>, _ from: Int, _ end: Int
  ) -> Int? {
    guard from < end, let found = memchr(base + from, 0x0A, end - from) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the bytes from `start` up to `end`.
  fileprivate func prefix(_ end: Int, from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}
