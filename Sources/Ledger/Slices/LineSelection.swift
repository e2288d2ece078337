public import CivilTime
internal import Described
public import StrictJSON

/// Which lines of a ledger are wanted: a line must pass every condition that is set.
public struct LineSelection: Sendable, Equatable {
  /// Records of these types; when it is empty, all but seals.
  public var types: Set<RecordType> = []
  /// Records that name one of these users; when it is empty, whoever they name.
  public var users: Set<String> = []
  /// Records made at or after this instant.
  public var since: Instant?
  /// Records made before this instant.
  public var until: Instant?
  /// Records about one of these user-local days, first and last included; records without a day do not pass.
  public var days: ClosedRange<Day>?

  /// Of grants only those that a person has given by hand.
  public var isByHand = false

  /// Everything but seals.
  public init() {}

  /// Whether the line's beginning tells all that is asked for.
  var needsOnlyFrame: Bool { users.isEmpty && days == nil && !isByHand }
}

/// Tells line by line whether it is wanted, from its bytes alone. Not thread-safe: one for each thread.
public struct LineSelector: Sendable {
  private let selection: LineSelection
  private let users: Set<[UInt8]>
  private let undone: [ClosedRange<UInt64>]
  private var scanner = LineScanner()

  /// Creates a selector of the lines that `selection` describes, but for those that were taken back, by number.
  public init(_ selection: LineSelection, but undone: [ClosedRange<UInt64>] = []) {
    self.selection = selection
    self.undone = undone
    users = Set(selection.users.map { Array($0.utf8) })
  }

  /// Returns whether `line`, without its `\n`, is wanted; throws at what is no record.
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

  /// Returns whether the line names a wanted user and a wanted day.
  private func names(
    _ line: UnsafeBufferPointer<UInt8>, _ type: RecordType?
  ) throws(JSONError) -> Bool {
    var isUser = users.isEmpty
    var isDay = selection.days == nil
    var isByHand = type != .grant || !selection.isByHand
    let isAct = type == .operator && selection.isByHand
    var reader = JSONReader(line)
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user" where !isUser: isUser = try isWanted(&reader)
      // An excuse names many.
      case "users" where !isUser && type == .excuse:
        try reader.readArray { (reader) throws(JSONError) in
          if try isWanted(&reader) { isUser = true }
        }
      // An act names the key that it concerns, or tells of it in words.
      case "subject" where !isUser && isAct, "what" where !isUser && isAct:
        isUser = try tellsOfUser(&reader)
      case "cause" where !isByHand: isByHand = try reader.readString() == "manual"
      case "day" where !isDay:
        let day = try reader.readDay()
        isDay = selection.days?.contains(day) ?? true
      default: try reader.skipValue()
      }
    }
    return isUser && isDay && isByHand
  }

  /// Returns whether a text begins with a wanted user's id as keys do, or has it as a word: `USER/manual/…`, `grant
  /// USER/…`, `credit USER …`.
  private func tellsOfUser(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    let words = try reader.readString().utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
    return words.prefix(2).contains { word in
      users.contains(Array(word)) || users.contains(Array(word.prefix { $0 != UInt8(ascii: "/") }))
    }
  }

  private func isWanted(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    users.contains(Array(try reader.readString().utf8))
  }
}
