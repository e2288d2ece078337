internal import Files
public import Ledger

extension LedgerReader {
  /// Calls `body` with every record about one of `users` or about no user, in order, but those of the types in `skipping`. Other
  /// lines are passed over by their beginnings, or, where users are named and seals and runs are skipped, by an index.
  ///
  /// Works on the caller's thread alone, so that several choices may be read side by side. Stops when `body` throws.
  public func readRecords(
    of users: UserChoice, skipping: Set<RecordType> = [.seal, .run],
    _ body: (Record) throws -> Void
  ) throws {
    let skipped = skipping.map { Array($0.rawValue.utf8) }
    let filter = LineFilter { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      if skipped.contains(where: { type.elementsEqual($0) }) { return false }
      return users.mayConcern(line, outline)
    } isWantedRecord: { record in
      record.body.user.map { users.includes($0) } ?? true && !skipping.contains(record.body.type)
    }
    let numbers = skipping.isSuperset(of: [.seal, .run]) ? users.numbers : nil
    try eachSegment(after: 0) { segment, file, start, end in
      try read(numbers, segment, file, start, end, filter, body)
    }
  }

  /// Calls `body` with every record of one of `types`, in order, on the caller's thread.
  public func readRecords(
    ofTypes types: Set<RecordType>, _ body: (Record) throws -> Void
  ) throws {
    let names = types.map { Array($0.rawValue.utf8) }
    let filter = LineFilter { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      return names.contains { type.elementsEqual($0) }
    } isWantedRecord: {
      types.contains($0.body.type)
    }
    // An index holds all lines of these types.
    let isIndexed = types.isSubset(of: [.genesis, .rules, .close, .excuse, .operator])
    try eachSegment(after: 0) { segment, file, start, end in
      try read(isIndexed ? [] : nil, segment, file, start, end, filter, body)
    }
  }

  /// Calls `body` with the wanted records of a segment; of users whose numbers are `numbers` only, where there is an index.
  private func read(
    _ numbers: Set<UInt32>?, _ segment: SegmentFile, _ file: OpenFile, _ start: SealPlace,
    _ end: Int, _ filter: LineFilter, _ body: (Record) throws -> Void
  ) throws {
    let lines = SegmentLines(segment: segment, file: file, end: end, reader: self)
    var place = start
    if let numbers, let index = try indexes?.index(of: segment, file, before: end),
      let found = try index.wanted(numbers)
    {
      try lines.read(found, filter, body)
      place = SealPlace(
        state: start.state, endByte: index.header.endByte, lines: index.header.lines)
    }
    try lines.read(from: place, filter, body)
  }
}
