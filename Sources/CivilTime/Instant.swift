/// A point in time, in UTC, to the nanosecond.
///
/// There are no leap seconds, as in POSIX time: every UTC day has 86,400 seconds.
public struct Instant: Hashable, Sendable {
  // The seconds in two halves, so that an instant takes 12 bytes everywhere, not 16. A user has some thirty of them.
  @usableFromInline let lowerHalf: UInt32
  @usableFromInline let upperHalf: Int32
  /// Nanoseconds after `seconds`, 0 to 999,999,999.
  public let nanoseconds: Int32

  /// Creates the instant `seconds` and `nanoseconds` (0 to 999,999,999) after 1970-01-01T00:00:00Z.
  @inlinable
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    lowerHalf = UInt32(truncatingIfNeeded: seconds)
    upperHalf = Int32(truncatingIfNeeded: seconds >> 32)
    self.nanoseconds = nanoseconds
  }

  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  @inlinable
  public var seconds: Int64 { Int64(upperHalf) << 32 | Int64(lowerHalf) }

  /// The earliest instant that can be written: 0001-01-01T00:00:00Z.
  public static let earliest = Instant(seconds: -62_135_596_800)
  /// The latest whole second that can be written: 9999-12-31T23:59:59Z.
  public static let latest = Instant(seconds: 253_402_300_799)

  /// Returns the instant `seconds` later, or earlier if negative. Stops at the ends of the representable range.
  @inlinable
  public func adding(seconds delta: Int64) -> Instant {
    let (sum, overflow) = seconds.addingReportingOverflow(delta)
    if overflow { return delta < 0 ? .earliest : .latest }
    return Instant(seconds: sum, nanoseconds: nanoseconds)
  }

  /// Returns the whole seconds from `other` to this instant, rounded down.
  @inlinable
  public func seconds(since other: Instant) -> Int64 {
    seconds - other.seconds - (nanoseconds < other.nanoseconds ? 1 : 0)
  }

  /// Returns the instant this many nanoseconds later, or earlier if negative.
  public func adding(nanoseconds delta: Int64) -> Instant {
    let (whole, part) = (delta / 1_000_000_000, delta % 1_000_000_000)
    let sum = Int64(nanoseconds) + part
    let carry: Int64 = sum >= 1_000_000_000 ? 1 : sum < 0 ? -1 : 0
    return Instant(seconds: seconds, nanoseconds: Int32(sum - carry * 1_000_000_000))
      .adding(seconds: whole + carry)
  }

  /// Returns the nanoseconds from `other` to this instant, or the nearest number that fits.
  public func nanoseconds(since other: Instant) -> Int64 {
    let (scaled, overflow) = (seconds - other.seconds).multipliedReportingOverflow(
      by: 1_000_000_000)
    if overflow { return seconds < other.seconds ? .min : .max }
    let (sum, overflows) = scaled.addingReportingOverflow(Int64(nanoseconds - other.nanoseconds))
    return overflows ? (scaled < 0 ? .min : .max) : sum
  }

  /// Returns the seconds from `other` to this instant, with their fraction.
  public func interval(since other: Instant) -> Double {
    Double(seconds - other.seconds) + Double(nanoseconds - other.nanoseconds) / 1e9
  }

  /// This instant, truncated to milliseconds.
  public var truncatedToMilliseconds: Instant {
    Instant(seconds: seconds, nanoseconds: nanoseconds / 1_000_000 * 1_000_000)
  }
}

extension Instant: Comparable {
  /// Orders instants chronologically.
  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool {
    left.seconds != right.seconds
      ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
  }
}

extension Instant: CustomStringConvertible {
  /// The instant in RFC 3339, UTC, with as many fractional digits as needed, e.g. `2026-11-20T14:59:59.25Z`.
  public var description: String { InstantFormat.text(of: self, fraction: .asNeeded) }
}
