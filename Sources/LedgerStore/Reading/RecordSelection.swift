public import Ledger

/// Selects the records of a ledger to read.
public struct RecordSelection: Sendable {
  private var users: UserChoice?
  /// The only types that are selected or, unless `isOfTypes`, the types that are left out.
  private var types: Set<RecordType>
  private var isOfTypes: Bool

  /// All records, seals included.
  public static let everything = RecordSelection(types: [], isOfTypes: false)

  /// Selects the records about one of `users` or about no user, except the types in `skipping`.
  public static func of(
    _ users: UserChoice, skipping: Set<RecordType> = [.seal, .run]
  ) -> RecordSelection {
    RecordSelection(users: users, types: skipping, isOfTypes: false)
  }

  /// Selects the records of these types.
  public static func ofTypes(_ types: Set<RecordType>) -> RecordSelection {
    RecordSelection(types: types, isOfTypes: true)
  }

  /// The numbers of the users whose blocks must be read, because an index holds all other selected lines; nil if an index does
  /// not help.
  var numbers: Set<UInt32>? {
    // The index holds the lines about no user, except seals and runs.
    if isOfTypes { return types.isSubset(of: Self.common) ? [] : nil }
    return types.isSuperset(of: [.seal, .run]) ? users?.numbers : nil
  }

  private static let common: Set<RecordType> = [.genesis, .rules, .close, .excuse, .operator]

  /// Returns a filter for the selected lines after `seq`; nil if all are read.
  func filter(of reader: LedgerReader, after seq: UInt64) throws -> LineFilter? {
    if users == nil, types.isEmpty, !isOfTypes { return nil }
    let (users, types, isOfTypes) = (users, types, isOfTypes)
    let names = types.map { Array($0.rawValue.utf8) }
    let undone = try reader.undone(after: seq)
    return LineFilter { line, outline in
      guard let outline else { return true }
      let type = UnsafeBufferPointer(rebasing: line[outline.type])
      guard names.contains(where: { type.elementsEqual($0) }) == isOfTypes else { return false }
      return users?.mayConcern(line, outline) ?? true
    } isWantedRecord: { record in
      record.seq > seq && types.contains(record.body.type) == isOfTypes
        && record.body.user.flatMap { users?.includes($0) } ?? true
        && !record.isUndone(by: undone)
    }
  }
}
