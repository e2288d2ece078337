internal import CivilTime
internal import Evidence
internal import RewardRules

/// Writes the parts of a state, or reads them: each part describes itself once, for both.
///
/// Every method takes a value to write, or puts the value read in its place.
protocol SnapshotCoder {
  /// How much there is to read yet; none when values are written.
  var unreadBytes: Int { get }
  mutating func code(_ value: inout Int64) throws(SnapshotError)
  mutating func code(_ value: inout String) throws(SnapshotError)
}

/// Why the bytes of a snapshot are none that can be used.
public struct SnapshotError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The place and the cause.
  public let description: String
}

extension SnapshotCoder {
  mutating func code<Number: FixedWidthInteger>(_ value: inout Number) throws(SnapshotError) {
    var number = Int64(truncatingIfNeeded: value)
    try code(&number)
    value = Number(truncatingIfNeeded: number)
  }

  mutating func code(_ value: inout Bool) throws(SnapshotError) {
    var number: Int64 = value ? 1 : 0
    try code(&number)
    value = number != 0
  }

  mutating func code(_ value: inout Instant) throws(SnapshotError) {
    var seconds = value.seconds
    // Most instants are whole seconds: the lowest bit says whether nanoseconds follow.
    var head = seconds << 1 | (value.nanoseconds == 0 ? 0 : 1)
    try code(&head)
    seconds = head >> 1
    var nanoseconds = value.nanoseconds
    if head & 1 == 0 { nanoseconds = 0 } else { try code(&nanoseconds) }
    guard (0..<1_000_000_000).contains(nanoseconds) else {
      throw SnapshotError(description: "an instant is none")
    }
    value = Instant(seconds: seconds, nanoseconds: nanoseconds)
  }

  mutating func code(_ value: inout Day) throws(SnapshotError) {
    var number = value.number
    try code(&number)
    value = Day(number: number)
  }

  mutating func code(_ value: inout KindSet) throws(SnapshotError) {
    var bits = value.rawValue
    try code(&bits)
    value = KindSet(rawValue: bits)
  }

  mutating func code(_ value: inout ActivityKind) throws(SnapshotError) {
    try code(&value, orElse: "a kind of activity is unknown")
  }

  mutating func code(_ value: inout Source) throws(SnapshotError) {
    try code(&value, orElse: "a source is unknown")
  }

  /// Codes one of a few cases by its number; `problem` tells that a number read stands for none.
  private mutating func code<Case: RawRepresentable<UInt8>>(
    _ value: inout Case, orElse problem: String
  ) throws(SnapshotError) {
    var number = value.rawValue
    try code(&number)
    guard let known = Case(rawValue: number) else { throw SnapshotError(description: problem) }
    value = known
  }

  /// Codes a value that may be missing; `blank` is what a value is read into.
  mutating func code<Value>(
    _ value: inout Value?, blank: @autoclosure () -> Value,
    _ body: (inout Self, inout Value) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    var isThere = value != nil
    try code(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var known = value ?? blank()
    try body(&self, &known)
    value = known
  }

  mutating func code(_ value: inout Instant?) throws(SnapshotError) {
    try code(&value, blank: .earliest) { (coder, known) throws(SnapshotError) in
      try coder.code(&known)
    }
  }

  mutating func code(_ value: inout String?) throws(SnapshotError) {
    try code(&value, blank: "") { (coder, known) throws(SnapshotError) in try coder.code(&known) }
  }

  mutating func code(_ value: inout BoosterWindow?) throws(SnapshotError) {
    let blank = BoosterWindow(from: .earliest, until: .earliest)
    try code(&value, blank: blank) { (coder, window) throws(SnapshotError) in
      var (from, until) = (window.from, window.until)
      try coder.code(&from)
      try coder.code(&until)
      window = BoosterWindow(from: from, until: until)
    }
  }

  /// Codes a list; `blank` is what each element is read into.
  mutating func code<Element>(
    _ list: inout [Element], blank: @autoclosure () -> Element,
    _ body: (inout Self, inout Element) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    var count = list.count
    try code(&count)
    guard count >= 0 else { throw SnapshotError(description: "a list has no length") }
    // Just so much, for there are many lists; and of a length that is damaged not more than the bytes can hold of accounts.
    if list.isEmpty { list.reserveCapacity(min(count, unreadBytes / 40 + 2)) }
    for index in 0..<count {
      if index == list.count { list.append(blank()) }
      try body(&self, &list[index])
    }
  }

  mutating func code(_ list: inout [String]) throws(SnapshotError) {
    try code(&list, blank: "") { (coder, text) throws(SnapshotError) in try coder.code(&text) }
  }

  /// Codes a set in the order of its texts, so that equal states have equal bytes.
  mutating func code(_ set: inout Set<String>) throws(SnapshotError) {
    var list = set.isEmpty ? [] : set.sorted()
    try code(&list)
    set = Set(list)
  }

  mutating func code(_ set: inout Set<RewardKey>) throws(SnapshotError) {
    var list = set.isEmpty ? [] : set.map { $0.text(user: "") }.sorted()
    try code(&list)
    set = Set(list.compactMap { RewardKey(text: $0) })
  }

  /// Codes a table in the order of its names.
  mutating func code<Value>(
    _ table: inout [String: Value], blank: Value,
    _ body: (inout Self, inout Value) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    var rows = table.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    try code(&rows, blank: (name: "", value: blank)) { (coder, row) throws(SnapshotError) in
      try coder.code(&row.name)
      try body(&coder, &row.value)
    }
    table = Dictionary(rows.map { ($0.name, $0.value) }) { $1 }
  }
}

/// Appends the parts to bytes: whole numbers in groups of seven bits, small ones of either sign in one byte.
struct SnapshotWriter: SnapshotCoder {
  private(set) var bytes: [UInt8] = []
  var unreadBytes: Int { 0 }

  init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

  mutating func code(_ value: inout Int64) throws(SnapshotError) {
    VariableNumber.append(signed: value, to: &bytes)
  }

  mutating func code(_ value: inout String) throws(SnapshotError) {
    var count = value.utf8.count
    try code(&count)
    bytes.append(contentsOf: value.utf8)
  }
}

/// Reads the parts from bytes, which must outlive it.
struct SnapshotReader: SnapshotCoder {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var offset = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var unreadBytes: Int { bytes.count - offset }

  /// Whether everything was read.
  var isAtEnd: Bool { offset == bytes.count }

  mutating func code(_ value: inout Int64) throws(SnapshotError) {
    guard let number = VariableNumber.readSigned(bytes, &offset, before: bytes.count) else {
      throw damage
    }
    value = number
  }

  mutating func code(_ value: inout String) throws(SnapshotError) {
    var count = 0
    try code(&count)
    guard count >= 0, count <= bytes.count - offset else { throw damage }
    let text = UnsafeBufferPointer(rebasing: bytes[offset..<offset + count])
    guard let string = String(validating: text, as: UTF8.self) else { throw damage }
    value = string
    offset += count
  }

  private var damage: SnapshotError { SnapshotError(description: "byte \(offset) is damaged") }
}
