package import CivilTime
package import Evidence

/// When a user tends to do something, learnt from grants and, for kinds without a mission, from evidence, in 32 bytes.
///
/// Holds weights for the hours of the day, in UTC, in which activities began, and for the days on which each polled
/// kind was used. Weights shrink by a twelfth per day and vanish after some two weeks, so changed habits are learnt
/// anew. Habits affect only when the truth is found, never what is true.
package struct UserHabits: Hashable, Sendable {
  /// 24 hours, three kinds, what was learnt on the newest day, that day in two bytes, for how many days the user was
  /// then known, and how often the hours differed from those expected.
  private var lanes = SIMD32<UInt8>()

  /// The lanes of the first polled kinds, in the order of the routes. For a kind without one, nothing is learnt.
  private static let kindLanes = 24..<27
  private static let learntLane = 27
  private static let newestLane = 28
  private static let knownLane = 30
  private static let surpriseLane = 31
  /// The weight of one activity on its day. A user active every day reaches twelve times as much.
  private static let unit: UInt8 = 20
  /// The part of a weight left after a day, in 256ths.
  private static let keptOf256: UInt16 = 235
  private static let kept = Double(keptOf256) / 256
  /// An hour with a smaller share is a surprise.
  private static let expectedShare = 0.06
  private static let firstSurprise: UInt8 = 100
  /// The number of days after which nothing is left of any weight.
  private static let memoryDays = 60

  /// Creates the habits of a user known from `now` on, without anything learnt.
  package init(since now: Instant) {
    self[Self.newestLane] = Self.day(of: now)
    lanes[Self.surpriseLane] = Self.firstSurprise
  }

  /// The number of bytes when stored.
  package static let byteCount = 32

  /// Creates habits from their ``byteCount`` bytes.
  package init(bytes: ArraySlice<UInt8>) {
    for (lane, byte) in zip(0..<Self.byteCount, bytes) { lanes[lane] = byte }
  }

  /// Appends the bytes to store.
  package func appendBytes(to bytes: inout [UInt8]) {
    for lane in 0..<Self.byteCount { bytes.append(lanes[lane]) }
  }

  /// Learns that an activity of `kind` began at `instant`. Only the first of a kind on a day counts.
  package mutating func learn(_ kind: ActivityKind, at instant: Instant) {
    let day = Self.day(of: instant)
    let newest = self[Self.newestLane]
    // What a backfill grants for days long past says nothing about the present.
    if day < newest { return }
    if day > newest { age(by: Int(day - newest), to: day) }
    // Kinds whose numbers differ by eight share a bit: of two such on a day only the first counts.
    let bit: UInt8 = 1 << (kind.rawValue % 8)
    guard lanes[Self.learntLane] & bit == 0 else { return }
    lanes[Self.learntLane] |= bit
    let hour = Self.hour(of: instant)
    let surprise: UInt16 = share(of: hour).map { $0 < Self.expectedShare } ?? true ? 255 : 0
    lanes[Self.surpriseLane] = UInt8((UInt16(lanes[Self.surpriseLane]) * 7 + surprise) / 8)
    add(Self.unit, to: hour)
    if let lane = LookPlanner.kinds.firstIndex(of: kind).flatMap(Self.lane) {
      add(Self.unit, to: lane)
    }
  }

  /// Returns the share of an hour and its neighbours among the hours learnt; nil if nothing was learnt.
  private func share(of hour: Int) -> Double? {
    var total = 0.0
    for hour in 0..<24 { total += Double(lanes[hour]) }
    if total == 0 { return nil }
    let near =
      Double(lanes[(hour + 23) % 24]) + Double(lanes[(hour + 1) % 24]) + 2 * Double(lanes[hour])
    return near / (4 * total)
  }

  /// Returns the lane of the kind at a place among those of the routes; nil if it has none.
  private static func lane(ofKindAt place: Int) -> Int? {
    place < kindLanes.count ? kindLanes.lowerBound + place : nil
  }

  private mutating func age(by days: Int, to day: UInt16) {
    for _ in 0..<min(days, Self.memoryDays) {
      for lane in 0..<Self.learntLane {
        lanes[lane] = UInt8((UInt16(lanes[lane]) * Self.keptOf256) >> 8)
      }
    }
    lanes[Self.learntLane] = 0
    lanes[Self.knownLane] = UInt8(min(Int(lanes[Self.knownLane]) + days, Self.memoryDays))
    self[Self.newestLane] = day
  }

  private mutating func add(_ weight: UInt8, to lane: Int) {
    let (sum, isFull) = lanes[lane].addingReportingOverflow(weight)
    lanes[lane] = isFull ? .max : sum
  }

  /// A number of two bytes.
  private subscript(lane: Int) -> UInt16 {
    get { UInt16(lanes[lane]) | UInt16(lanes[lane + 1]) << 8 }
    set {
      lanes[lane] = UInt8(truncatingIfNeeded: newValue)
      lanes[lane + 1] = UInt8(truncatingIfNeeded: newValue >> 8)
    }
  }

  static func hour(of instant: Instant) -> Int {
    let hour = Int((instant.seconds % 86_400) / 3_600)
    return instant.seconds % 86_400 < 0 ? (hour + 23) % 24 : hour
  }

  private static func day(of instant: Instant) -> UInt16 {
    UInt16(clamping: instant.seconds / 86_400)
  }
}

extension UserHabits {
  /// What to expect of a user's day.
  struct Expectation {
    /// The share of the day's first uses that begin in each hour, in UTC; the sum is 1.
    var hours: SIMD32<Double> = SIMD32()
    /// The probability that each kind is used on a day, in the order of the routes.
    var uses = SIMD8<Double>(repeating: priorUse)
  }

  /// The share of uses outside the habitual hours: for the most regular user, and added for one who always surprises.
  private static let strayShare = 0.05
  private static let surpriseShare = 0.8
  /// The assumption about an unknown user, and how many days' worth it counts.
  private static let priorUse = 0.15
  private static let priorDays = 0.5

  /// Returns what to expect on the day of `now`.
  func expectation(at now: Instant) -> Expectation {
    let today = Self.day(of: now)
    let newest = self[Self.newestLane]
    let age = today > newest ? Int(today - newest) : 0
    let left = Self.power(of: age)
    let known = Int(lanes[Self.knownLane]) + age
    // Sums the weights of all past days, newest first.
    let days = Self.kept * (1 - Self.power(of: known)) / (1 - Self.kept)
    var expectation = Expectation()
    for (place, lane) in Self.kindLanes.enumerated() {
      let weight = Double(lanes[lane]) * left / Double(Self.unit)
      // For a kind never used, every known day counts in full, however long ago.
      let judged = weight > 0 ? days : Double(known)
      expectation.uses[place] = min(
        0.97, (weight + Self.priorUse * Self.priorDays) / (judged + Self.priorDays))
    }
    let stray =
      Self.strayShare + Self.surpriseShare * Double(lanes[Self.surpriseLane]) / 255
    for hour in 0..<24 {
      expectation.hours[hour] = share(of: hour).map { (1 - stray) * $0 + stray / 24 } ?? 1 / 24
    }
    return expectation
  }

  private static func power(of days: Int) -> Double {
    var power = 1.0
    for _ in 0..<min(days, memoryDays) { power *= kept }
    return power
  }
}
