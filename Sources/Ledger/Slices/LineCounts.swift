public import CivilTime
internal import Described
internal import RewardRules
public import StrictJSON

/// Counts of the lines in a stretch of a ledger, by type, with the sums of its grants. Stretches can be counted in parallel.
public struct LineCounts: Sendable {
  /// The number of lines by type, including seals.
  public private(set) var records: [RecordType: Int] = [:]
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
  private let undone: [ClosedRange<UInt64>]
  private var scanner = LineScanner()

  /// The number of all lines.
  public var total: Int { records.values.reduce(strangers, +) }

  /// The counts by type name, in alphabetical order.
  public var sortedTypes: [(key: String, value: Int)] {
    let known = records.map { (key: $0.key.rawValue, value: $0.value) }.sorted { $0.key < $1.key }
    return strangers == 0 ? known : known + [(key: "of newer types", value: strangers)]
  }

  /// Creates counts of zero. Lines taken back, given by number, will not be counted.
  public init(but undone: [ClosedRange<UInt64>] = []) { self.undone = undone }

  /// Counts one line, given without its `\n`; throws if it is not a record.
  public mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    guard let frame = scanner.scan(line) else { throw RecordDecoder.cause(line) }
    if undone.takesBack(frame.seq, isSeal: frame.type == .seal) { return }
    if frame.type == .grant { try addGrant(line) }
    if frame.type == .reversal { try addReversal(line) }
    if let type = frame.type { records[type, default: 0] += 1 } else { strangers += 1 }
    span = (span?.first ?? frame.at, frame.at)
  }

  /// Adds the counts of a later stretch.
  public mutating func add(_ later: LineCounts) {
    records.merge(later.records, uniquingKeysWith: +)
    strangers += later.strangers
    grants.merge(later.grants, uniquingKeysWith: +)
    points = points.addingSaturated(later.points)
    exp = exp.addingSaturated(later.exp)
    reversedPoints = reversedPoints.addingSaturated(later.reversedPoints)
    reversedExp = reversedExp.addingSaturated(later.reversedExp)
    if let end = later.span { span = (span?.first ?? end.first, end.last) }
  }

  private mutating func addReversal(
    _ line: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) {
    let sums = try Sums(of: line)
    reversedPoints = reversedPoints.addingSaturated(sums.points ?? 0)
    reversedExp = reversedExp.addingSaturated(sums.exp ?? 0)
  }

  private mutating func addGrant(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    let sums = try Sums(of: line)
    if let mission = sums.mission { grants[mission, default: 0] += 1 }
    points = points.addingSaturated(sums.points ?? 0)
    exp = exp.addingSaturated(sums.exp ?? 0)
  }

  /// The figures of one line.
  private struct Sums {
    private(set) var mission: String?
    private(set) var points: Int64?
    private(set) var exp: Int64?

    init(of line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
      var (mission, points, exp): (String?, Int64?, Int64?)
      var reader = JSONReader(line)
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "mission" where mission == nil: mission = try reader.readString()
        case "points" where points == nil: points = try reader.readInt()
        case "exp" where exp == nil: exp = try reader.readInt()
        case "mission", "points", "exp": throw .twice(try name.text(), at: name.offset)
        default: try reader.skipValue()
        }
      }
      try reader.finish()
      (self.mission, self.points, self.exp) = (mission, points, exp)
    }
  }
}
