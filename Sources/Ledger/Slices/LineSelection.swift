public import CivilTime
internal import Described
public import StrictJSON

/// A selection of ledger lines. A line must meet every condition that is set.
public struct LineSelection: Sendable, Equatable {
  /// The record types to select; if empty, all except seals.
  public var types: Set<RecordType> = []
  /// The users to select, for records that name one of them; if empty, all records.
  public var users: Set<String> = []
  /// Selects records made at or after this instant.
  public var since: Instant?
  /// Selects records made before this instant.
  public var until: Instant?
  /// Selects records about these user-local days, inclusive. Records without a day do not match.
  public var days: ClosedRange<Day>?

  /// Whether to select only what people did: gifts, and users and rules that name an act. With ``users``, also their grants and evidence
  /// that name one, i.e. of plans and deliveries; for all users, the acts themselves tell of those.
  public var onlyManual = false

  /// Creates a selection of everything except seals.
  public init() {}

  /// Whether the beginning of a line is enough to decide.
  var needsOnlyFrame: Bool { users.isEmpty && days == nil && !onlyManual }
}

/// Decides for each line whether it is selected, from its bytes alone. Not thread-safe; use one per thread.
public struct LineSelector: Sendable {
  private let selection: LineSelection
  private let users: Set<[UInt8]>
  private let undone: [ClosedRange<UInt64>]
  private var scanner = LineScanner()

  /// Creates a selector of the lines that `selection` describes, without those taken back, given by number.
  public init(_ selection: LineSelection, but undone: [ClosedRange<UInt64>] = []) {
    self.selection = selection
    self.undone = undone
    users = Set(selection.users.map { Array($0.utf8) })
  }

  /// Returns whether `line`, given without its `\n`, is selected; throws if it is not a record.
  public mutating func includes(
    _ line: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> Bool {
    guard let frame = scanner.scan(line) else {
      throw RecordDecoder.cause(line)
    }
    let isWantedType =
      selection.types.isEmpty
      ? frame.type != .seal : frame.type.map(selection.types.contains) ?? false
    guard isWantedType else { return false }
    if undone.takesBack(frame.seq, isSeal: frame.type == .seal) { return false }
    if let since = selection.since, frame.at < since { return false }
    if let until = selection.until, frame.at >= until { return false }
    return selection.needsOnlyFrame ? true : try names(line, frame.type)
  }

  /// Returns whether the line names a selected user and a selected day.
  private func names(
    _ line: UnsafeBufferPointer<UInt8>, _ type: RecordType?
  ) throws(JSONError) -> Bool {
    var isUser = users.isEmpty
    var isDay = selection.days == nil
    let isOfMany = type == .grant || type == .evidence
    let isMixed = isOfMany || type == .user || type == .rules
    var onlyManual = !selection.onlyManual || !isMixed
    let isAct = type == .operator && selection.onlyManual
    var reader = JSONReader(line)
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user" where !isUser: isUser = try isWanted(&reader)
      // An outage or pardon names many users.
      case "users" where !isUser && type == .excuse:
        try reader.readArray { (reader) throws(JSONError) in
          if try isWanted(&reader) { isUser = true }
        }
      // An act names the key it concerns, or describes it in words.
      case "subject" where !isUser && isAct, "what" where !isUser && isAct:
        isUser = try mentionsUser(&reader)
      case "cause" where !onlyManual: onlyManual = try reader.readString() == "manual"
      case "by" where !onlyManual && (!isOfMany || !users.isEmpty):
        onlyManual = true
        try reader.skipValue()
      case "day" where !isDay:
        let day = try reader.readDay()
        isDay = selection.days?.contains(day) ?? true
      default: try reader.skipValue()
      }
    }
    return isUser && isDay && onlyManual
  }

  /// Returns whether a text begins with a selected user's id, as keys do, or contains one as a word: `USER/manual/…`,
  /// `grant USER/…`, `credit USER …`.
  private func mentionsUser(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    let words = try reader.readString().split(separator: " ", maxSplits: 2)
    return words.prefix(2).contains { users.contains(Array(GrantKey(String($0)).user.utf8)) }
  }

  private func isWanted(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    users.contains(Array(try reader.readString().utf8))
  }
}
