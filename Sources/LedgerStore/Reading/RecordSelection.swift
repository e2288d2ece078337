package import CivilTime
package import Ledger

/// Selects the records of a ledger to read.
package struct RecordSelection: Sendable {
  private var users: UserChoice?
  private var from: Instant?
  private var end: Instant?
  /// The only types that are selected or, unless `isOfTypes`, the types that are left out.
  private var types: Set<RecordType>
  private var isOfTypes: Bool

  /// All records, seals included.
  package static let everything = RecordSelection(types: [], isOfTypes: false)

  /// Selects the records about one of `users` or about no user, except the types in `skipping`.
  package static func of(
    _ users: UserChoice, skipping: Set<RecordType> = [.seal, .run]
  ) -> RecordSelection {
    RecordSelection(users: users, types: skipping, isOfTypes: false)
  }

  /// Selects the records of these types.
  package static func ofTypes(_ types: Set<RecordType>) -> RecordSelection {
    RecordSelection(types: types, isOfTypes: true)
  }

  /// Returns those of the records that were recorded at `from` or later and before `end`; nil sets no limit.
  ///
  /// Only a verified ledger has its records in order of time, and reading verifies nothing: all lines are looked at.
  package func recorded(from: Instant? = nil, before end: Instant? = nil) -> RecordSelection {
    var selection = self
    (selection.from, selection.end) = (from, end)
    return selection
  }

  /// The numbers of the users whose blocks must be read, because an index holds all other selected lines; nil if an index does
  /// not help.
  var numbers: Set<UInt32>? {
    // The index holds the lines about no user, except seals and runs.
    if isOfTypes { return types.isSubset(of: Self.common) ? [] : nil }
    return types.isSuperset(of: [.seal, .run]) ? users?.numbers : nil
  }

  private static let common: Set<RecordType> = [.genesis, .rules, .close, .excuse, .operator]

  private var isEverything: Bool {
    users == nil && types.isEmpty && !isOfTypes && from == nil && end == nil
  }

  /// Returns a filter for the selected lines after `seq` that `reader` has not taken back.
  func filter(of reader: LedgerReader, after seq: UInt64) throws -> LineFilter {
    let undone = try reader.undone(after: seq)
    if isEverything {
      return LineFilter(isWanted: nil) { $0.seq > seq && !$0.isUndone(by: undone) }
    }
    let selection = self
    let names = types.map { Array($0.rawValue.utf8) }
    return LineFilter { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      return names.contains(where: { type.elementsEqual($0) }) == selection.isOfTypes
        && selection.mayInclude(line, outline)
        && selection.users?.mayConcern(line, outline) ?? true
    } isWantedRecord: { record in
      record.seq > seq && selection.types.contains(record.body.type) == selection.isOfTypes
        && selection.includes(record.at)
        && record.body.user.flatMap { selection.users?.includes($0) } ?? true
        && !record.isUndone(by: undone)
    }
  }

  private func includes(_ instant: Instant) -> Bool {
    from.map { instant >= $0 } ?? true && end.map { instant < $0 } ?? true
  }

  private func mayInclude(_ line: UnsafeBufferPointer<UInt8>, _ outline: LineOutline) -> Bool {
    from == nil && end == nil || outline.instant(in: line).map(includes) ?? true
  }
}

/// Selects lines of a ledger: first by their bytes, then by their records.
struct LineFilter: Sendable {
  /// Returns whether a line may be selected; rejected lines are not decoded. Nil if every line may be.
  let isWanted: (@Sendable (UnsafeBufferPointer<UInt8>, LineOutline?) -> Bool)?
  /// Returns whether a record is selected.
  let isWantedRecord: @Sendable (Record) -> Bool
}
