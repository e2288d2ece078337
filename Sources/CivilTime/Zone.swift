/// The rules of one time zone: an immutable table of offsets from UTC, and a rule for all time after the table.
///
/// Safe to share between threads. A lookup costs a binary search and, past the end of the table, the arithmetic of
/// one year's changes. Instants and days far outside the years 1 to 9999 give a meaningless result: the end of an
/// interval of some million years.
public final class Zone: Sendable {
  /// The largest file accepted; real ones have a few thousand bytes.
  public static let greatestFileBytes = 1 << 20

  /// The IANA name.
  public let name: String
  /// The starts of the stretches of constant offset; the first is `Int64.min`.
  private let starts: [Int64]
  /// The offsets of these stretches.
  private let offsets: [Int64]
  /// The rule in force from `ruleStart` on.
  private let rule: POSIXRule?
  private let ruleStart: Int64
  /// The least of all offsets; ``greatestOffset`` is the greatest.
  let leastOffset: Int64
  let greatestOffset: Int64

  /// Creates the zone `name` from the contents of its TZif file (RFC 9636, versions 1 to 4).
  ///
  /// Refuses, without reading out of bounds, anything that is not such a file, files that count leap seconds
  /// (`right/…`), and rules that the format does not allow.
  public init(name: String, tzif bytes: [UInt8]) throws(ZoneError) {
    let file: TZifFile
    do {
      file = try TZifFile(bytes)
    } catch {
      throw ZoneError(name: name, what: "\(error.what); reinstall the time zone database")
    }
    self.name = name
    rule = file.rule
    ruleStart = file.transitions.last?.at ?? .min
    var starts = [Int64.min]
    var offsets = [file.firstOffset]
    for transition in file.transitions where transition.offset != offsets[offsets.count - 1] {
      starts.append(transition.at)
      offsets.append(transition.offset)
    }
    self.starts = starts
    self.offsets = offsets
    let all = offsets + (file.rule?.offsets ?? [])
    leastOffset = all.reduce(file.firstOffset, min)
    greatestOffset = all.reduce(file.firstOffset, max)
  }

  /// Returns the seconds to add to UTC to get the local time at `instant`.
  public func offsetSeconds(at instant: Instant) -> Int32 {
    Int32(segment(containing: Self.clamped(instant.seconds)).offset)
  }

  /// Returns the stretch of constant offset that contains the second `seconds`.
  func segment(containing seconds: Int64) -> ZoneSegment {
    if let rule, seconds >= ruleStart {
      var segment = rule.segment(containing: seconds)
      segment.start = max(segment.start, ruleStart)
      return segment
    }
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= seconds { low = middle } else { high = middle }
    }
    let tableEnd = rule == nil ? Int64.max : ruleStart
    return ZoneSegment(
      start: starts[low], end: high < starts.count ? starts[high] : tableEnd, offset: offsets[low])
  }

  /// Clamps `seconds` to the range in which adding an offset cannot overflow and every date has a number.
  static func clamped(_ seconds: Int64) -> Int64 {
    min(max(seconds, -185_000_000_000_000), 185_000_000_000_000)
  }
}
