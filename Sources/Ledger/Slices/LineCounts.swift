public import CivilTime
internal import Described
internal import RewardRules
public import StrictJSON

/// Counts of the lines in a stretch of a ledger, by type, with the sums of its grants. Stretches can be counted in parallel.
public struct LineCounts: Sendable {
  /// The number of lines by type, including seals.
  public var records: [RecordType: Int] {
    byType.reduce(into: [:]) { $0[$1.type] = $1.count }
  }
  /// The number of lines with unknown types.
  public private(set) var strangers = 0
  /// The number of grants by mission, including adjustments.
  public private(set) var grants: [String: Int] = [:]
  /// The points of all grants.
  public private(set) var points: Int64 = 0
  /// The exp of all grants.
  public private(set) var exp: Int64 = 0
  /// The points of all reversals and their undoings; negative if more was taken than restored.
  public private(set) var reversedPoints: Int64 = 0
  /// The exp of all reversals and their undoings.
  public private(set) var reversedExp: Int64 = 0
  /// When the first and the last record were made; nil if there is none.
  public private(set) var span: (first: Instant, last: Instant)?
  /// The same as ``records``; there are so few types that a search is faster than hashing.
  private var byType: [(type: RecordType, count: Int)] = []
  private let undone: [ClosedRange<UInt64>]
  private let last: UInt64
  private var scanner = LineScanner()

  /// The number of all lines.
  public var total: Int { byType.reduce(strangers) { $0 + $1.count } }

  /// The counts by type name, in alphabetical order.
  public var sortedTypes: [(key: String, value: Int)] {
    let known = byType.map { (key: $0.type.rawValue, value: $0.count) }.sorted { $0.key < $1.key }
    return strangers == 0 ? known : known + [(key: "of newer types", value: strangers)]
  }

  /// Creates counts of zero. Lines taken back, given by number, and lines after `last` will not be counted.
  public init(but undone: [ClosedRange<UInt64>] = [], through last: UInt64 = .max) {
    self.undone = undone
    self.last = last
  }

  /// Counts one line, given without its `\n`; throws if it is not a record.
  public mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    guard let frame = scanner.scan(line) else { throw RecordDecoder.cause(line) }
    try add(line, frame)
  }

  /// Counts one line whose frame is known.
  mutating func add(
    _ line: UnsafeBufferPointer<UInt8>, _ frame: LineFrame
  ) throws(JSONError) {
    if frame.seq > last || undone.takesBack(frame.seq, isSeal: frame.type == .seal) { return }
    if frame.type == .grant { try addGrant(Sums(of: line, frame)) }
    if frame.type == .reversal { try addReversal(Sums(of: line, frame)) }
    if let type = frame.type { add(1, of: type) } else { strangers += 1 }
    span = (span?.first ?? frame.at, frame.at)
  }

  /// Adds the counts of a later stretch.
  public mutating func add(_ later: LineCounts) {
    for (type, count) in later.byType { add(count, of: type) }
    strangers += later.strangers
    grants.merge(later.grants, uniquingKeysWith: +)
    points = points.addingSaturated(later.points)
    exp = exp.addingSaturated(later.exp)
    reversedPoints = reversedPoints.addingSaturated(later.reversedPoints)
    reversedExp = reversedExp.addingSaturated(later.reversedExp)
    if let end = later.span { span = (span?.first ?? end.first, end.last) }
  }

  private mutating func add(_ count: Int, of type: RecordType) {
    guard let index = byType.firstIndex(where: { $0.type == type }) else {
      return byType.append((type, count))
    }
    byType[index].count += count
  }

  private mutating func addReversal(_ sums: Sums) {
    reversedPoints = reversedPoints.addingSaturated(sums.points ?? 0)
    reversedExp = reversedExp.addingSaturated(sums.exp ?? 0)
  }

  private mutating func addGrant(_ sums: Sums) {
    if let mission = sums.mission { grants[mission, default: 0] += 1 }
    points = points.addingSaturated(sums.points ?? 0)
    exp = exp.addingSaturated(sums.exp ?? 0)
  }

  /// The figures of one line.
  private struct Sums {
    private(set) var mission: String?
    private(set) var points: Int64?
    private(set) var exp: Int64?

    init(of line: UnsafeBufferPointer<UInt8>, _ frame: LineFrame) throws(JSONError) {
      if try readGrant(line, frame) { return }
      (mission, points, exp) = (nil, nil, nil)
      var reader = JSONReader(line)
      try reader.readObject { (reader, name) throws(JSONError) in try read(name, &reader) }
      try reader.finish()
    }

    /// Reads the figures of a grant, no further than the last of them; returns false unless its members have the encoder's own order.
    private mutating func readGrant(
      _ line: UnsafeBufferPointer<UInt8>, _ frame: LineFrame
    ) throws(JSONError) -> Bool {
      guard let key = frame.key, frame.end != nil else { return false }
      var rest = JSONReader(line, insideObjectAt: key.upperBound + 1)
      guard try Self.skip("user", &rest), try Self.skip("day", &rest),
        rest.consumeKey("mission", isFirst: false)
      else { return false }
      mission = try rest.readString()
      guard try Self.skip("effective", &rest), try Self.skip("rules", &rest),
        rest.consumeKey("points", isFirst: false)
      else { return false }
      points = try rest.readInt()
      guard try Self.skip("expBase", &rest), try Self.skip("multiplier", &rest),
        rest.consumeKey("exp", isFirst: false)
      else { return false }
      exp = try rest.readInt()
      return true
    }

    /// Skips the next member if it is `name`, and returns whether it was.
    private static func skip(
      _ name: StaticString, _ rest: inout JSONReader
    ) throws(JSONError) -> Bool {
      guard rest.consumeKey(name, isFirst: false) else { return false }
      try rest.skipValue()
      return true
    }

    private mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) {
      switch name {
      case "mission" where mission == nil: mission = try reader.readString()
      case "points" where points == nil: points = try reader.readInt()
      case "exp" where exp == nil: exp = try reader.readInt()
      case "mission", "points", "exp": throw .twice(try name.text(), at: name.offset)
      default: try reader.skipValue()
      }
    }
  }
}
