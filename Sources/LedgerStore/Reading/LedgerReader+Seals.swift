package import CivilTime
internal import Foundations
package import Ledger

extension LedgerReader {
  /// Returns the seal that commits each of the lines with these numbers, which must ascend.
  ///
  /// Throws ``LedgerError`` if one of the lines is after ``head``. Blocks.
  package func seals(of seqs: [UInt64]) throws -> [LedgerHead] {
    var seals: [LedgerHead] = []
    guard let first = seqs.first else { return seals }
    let reader = BlockReader(fileSystem: fileSystem, blockBytes: 2 * SegmentIndex.blockBytes)
    try eachSegment(after: first - 1) { segment, file, start, end in
      let index = try indexes?.index(of: segment, file, before: end)
      var place = start.endByte
      while seals.count < seqs.count {
        let seq = seqs[seals.count]
        if let last = seals.last, last.seq >= seq {
          seals.append(last)
          continue
        }
        place = max(place, index?.place(before: seq)?.endByte ?? place)
        var finder = SealFinder()
        let rest = try reader.readLines(file, place..<end) { line, byte in
          guard let state = finder.state(claimedBy: line), state.seq >= seq else { return .next }
          seals.append(state.head)
          place = byte + line.count + 1
          return .stop
        }
        // No batch reaches beyond its segment.
        if rest != nil { return .next }
      }
      return .stop
    }
    guard seals.count == seqs.count else {
      throw LedgerError(
        .headMissing, place: folder, cause: "no seal commits the line \(seqs[seals.count])",
        remedy: "run `rewards ledger verify`")
    }
    return seals
  }
}

extension LedgerReader {
  /// Returns the last seal's time if, by its genesis, the ledger lives in simulated time, otherwise nil. Blocks.
  package func simulatedPresent() throws -> Instant? {
    let first = SegmentFile(firstSeq: 1, in: folder)
    guard try Genesis.read(first, fileSystem).simulated == true else { return nil }
    return try fileSystem.reading(lastSegment.path) { file in
      try SealSearch(fileSystem: fileSystem).seal(in: file, endingAt: endByte)?.state.at
    }
  }

  /// Returns the first line, which begins the chain; nil if nothing is sealed. Blocks.
  package func firstRecord() throws -> Record? {
    var first: Record?
    try scanUntilStopped(threads: 1) { record in
      first = record
      return .stop
    }
    return first
  }

  /// Builds the indexes that are missing or do not cover their segments up to ``head``; returns how many it built. Blocks.
  package func makeIndexes() throws -> Int {
    var made = 0
    try eachSegment(after: 0) { segment, file, _, end in
      if try indexes?.renew(segment, file, before: end) ?? false { made += 1 }
      return .next
    }
    return made
  }

  /// Builds the indexes that reading a user's lines needs to be fast. Blocks.
  package func buildIndexes() throws {
    try eachSegment(after: 0) { segment, file, _, end in
      _ = try indexes?.index(of: segment, file, before: end)
      return .next
    }
  }
}
