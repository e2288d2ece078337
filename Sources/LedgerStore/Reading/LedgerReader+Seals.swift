internal import Files
public import Ledger

extension LedgerReader {
  /// The seals that commit the lines with these numbers, which must ascend; one for each of them.
  ///
  /// Throws ``LedgerError`` when one of the lines lies behind ``head``. Blocks.
  public func seals(of seqs: [UInt64]) throws -> [LedgerHead] {
    var seals: [LedgerHead] = []
    var rest = seqs[...]
    while let first = rest.first {
      if let last = seals.last, last.seq >= first {
        seals.append(last)
        rest.removeFirst()
        continue
      }
      var found: LedgerHead?
      try eachSegment(after: first - 1) { segment, file, start, end in
        guard found == nil else { return }
        let from = try indexes?.index(of: segment, file, before: end)?.place(before: first) ?? start
        var finder = SealFinder()
        let reader = BlockReader(fileSystem: fileSystem, blockBytes: 2 * SegmentIndex.blockBytes)
        _ = try reader.readLines(file, from.endByte..<end) { line, _ in
          guard let state = finder.state(claimedBy: line), state.seq >= first else { return .next }
          found = state.head
          return .stop
        }
      }
      guard let found else {
        throw LedgerError(
          .headMissing, place: folder, cause: "no seal commits the line \(first)",
          remedy: "run `rewards ledger verify`")
      }
      seals.append(found)
      rest.removeFirst()
    }
    return seals
  }
}

extension LedgerReader {
  /// Makes the indexes that are missing or do not cover their segments up to ``head``; returns how many. Blocks.
  public func makeIndexes() throws -> Int {
    var made = 0
    try eachSegment(after: 0) { segment, file, _, end in
      if try indexes?.renew(segment, file, before: end) ?? false { made += 1 }
    }
    return made
  }

  /// Makes the indexes without which reading a user's lines would be slow. Blocks.
  public func keepIndexes() throws {
    try eachSegment(after: 0) { segment, file, _, end in
      _ = try indexes?.index(of: segment, file, before: end)
    }
  }
}
