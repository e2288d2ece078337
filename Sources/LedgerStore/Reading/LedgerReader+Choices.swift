public import Ledger
internal import StrictJSON

extension LedgerReader {
  /// Calls `body` with every record about one of `users` or about no user, in order, but those of the types in `skipping`. Other
  /// lines are passed over by their beginnings.
  ///
  /// Works on the caller's thread alone, so that several choices may be read side by side. Stops when `body` throws.
  public func readRecords(
    of users: UserChoice, skipping: Set<RecordType> = [.seal, .run],
    _ body: (Record) throws -> Void
  ) throws {
    let skipped = skipping.map { Array($0.rawValue.utf8) }
    try readRecords { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      if skipped.contains(where: { type.elementsEqual($0) }) { return false }
      return users.mayConcern(line, outline)
    } body: { record in
      if let user = record.body.user, !users.includes(user) { return }
      try body(record)
    }
  }

  /// Calls `body` with every record of one of `types`, in order, on the caller's thread.
  public func readRecords(
    ofTypes types: Set<RecordType>, _ body: (Record) throws -> Void
  ) throws {
    let names = types.map { Array($0.rawValue.utf8) }
    try readRecords { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      return names.contains { type.elementsEqual($0) }
    } body: { record in
      if types.contains(record.body.type) { try body(record) }
    }
  }

  private func readRecords(
    where isWanted: (UnsafeBufferPointer<UInt8>, LineOutline?) -> Bool,
    body: (Record) throws -> Void
  ) throws {
    try eachSegment(after: 0) { segment, file, start, end in
      var line = start.lines
      func damage(_ byte: Int, _ what: String) -> LedgerError {
        LedgerError(
          damage: [
            Damage(
              kind: .foreignLine, segment: segment.name, line: line, byte: byte, what: what)
          ], in: folder)
      }
      let reader = BlockReader(fileSystem: fileSystem)
      let rest = try reader.readLines(file, start.endByte..<end) { bytes, byte in
        line += 1
        guard isWanted(bytes, LineOutline(bytes)) else { return .next }
        let record: Record
        do throws(JSONError) {
          record = try RecordDecoder.decode(bytes)
        } catch {
          throw damage(byte + error.offset, error.what)
        }
        let expected = segment.firstSeq + UInt64(line - 1)
        guard record.seq == expected else {
          throw damage(byte, "seq \(record.seq) after \(expected - 1)")
        }
        try body(record)
        return .next
      }
      if let rest, rest > 0 { throw damage(end - rest, "a torn line of \(rest) bytes") }
    }
  }
}
