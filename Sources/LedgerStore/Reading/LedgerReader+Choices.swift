internal import Files
public import Ledger

extension LedgerReader {
  /// Calls `body` with every record after `seq` about one of `users` or about no user, in order, but those of the types in
  /// `skipping`. Other lines are passed over by their beginnings, or, where users are named and seals and runs are skipped, by an index.
  ///
  /// Works on the caller's thread alone, so that several choices may be read side by side. Stops when `body` throws.
  public func readRecords(
    of users: UserChoice, after seq: UInt64 = 0, skipping: Set<RecordType> = [.seal, .run],
    _ body: (Record) throws -> Void
  ) throws {
    let skipped = skipping.map { Array($0.rawValue.utf8) }
    let undone = try undone(after: seq)
    let filter = LineFilter { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      if skipped.contains(where: { type.elementsEqual($0) }) { return false }
      return users.mayConcern(line, outline)
    } isWantedRecord: { record in
      record.seq > seq && record.body.user.map { users.includes($0) } ?? true
        && !skipping.contains(record.body.type) && !record.isUndone(by: undone)
    }
    let numbers = skipping.isSuperset(of: [.seal, .run]) ? users.numbers : nil
    try eachSegment(after: seq) { segment, file, start, end in
      try SegmentLines(segment: segment, file: file, end: end, reader: self)
        .read(numbers, from: start, filter, body)
    }
  }

  /// Calls `body` with every record after `seq` of one of `types`, in order, on the caller's thread.
  public func readRecords(
    ofTypes types: Set<RecordType>, after seq: UInt64 = 0, _ body: (Record) throws -> Void
  ) throws {
    let names = types.map { Array($0.rawValue.utf8) }
    let undone = try undone(after: seq)
    let filter = LineFilter { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      return names.contains { type.elementsEqual($0) }
    } isWantedRecord: {
      $0.seq > seq && types.contains($0.body.type) && !$0.isUndone(by: undone)
    }
    // An index holds all lines of these types.
    let isIndexed = types.isSubset(of: [.genesis, .rules, .close, .excuse, .operator])
    try eachSegment(after: seq) { segment, file, start, end in
      try SegmentLines(segment: segment, file: file, end: end, reader: self)
        .read(isIndexed ? [] : nil, from: start, filter, body)
    }
  }
}
