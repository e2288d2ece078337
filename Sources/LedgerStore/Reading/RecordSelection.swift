public import Ledger

/// Which records of a ledger are read.
public struct RecordSelection: Sendable {
  private var users: UserChoice?
  /// Those of these types alone, or those of no such type.
  private var types: Set<RecordType>
  private var isOfTypes: Bool

  /// All of them, seals included.
  public static let everything = RecordSelection(types: [], isOfTypes: false)

  /// Those about one of `users` or about nobody, but of no type in `skipping`.
  public static func of(
    _ users: UserChoice, skipping: Set<RecordType> = [.seal, .run]
  ) -> RecordSelection {
    RecordSelection(users: users, types: skipping, isOfTypes: false)
  }

  /// Those of these types.
  public static func ofTypes(_ types: Set<RecordType>) -> RecordSelection {
    RecordSelection(types: types, isOfTypes: true)
  }

  /// The numbers of users without whose blocks an index has all that is wanted; nil where it does not help.
  var numbers: Set<UInt32>? {
    // It holds the lines about nobody, but for seals and runs.
    if isOfTypes { return types.isSubset(of: Self.common) ? [] : nil }
    return types.isSuperset(of: [.seal, .run]) ? users?.numbers : nil
  }

  private static let common: Set<RecordType> = [.genesis, .rules, .close, .excuse, .operator]

  /// What tells their lines after `seq` from others; nil where all are read.
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
