public import CivilTime
public import Evidence

/// When a user tends to do something, learnt from evidence: 32 bytes.
///
/// Weights of the hours of the day, in UTC, in which something began, and of the days on which each polled kind was used.
/// What is a day older counts for a twelfth less, and after some two weeks not at all: habits that change are learnt anew.
/// Nothing that is true depends on it, only when it is found.
public struct UserHabits: Hashable, Sendable {
  /// 24 hours; three kinds; what was learnt on the newest day; that day, of two bytes; for how many days the user is known
  /// then; how often the hours were others than expected.
  private var lanes = SIMD32<UInt8>()

  private static let kindsLane = 24
  private static let learntLane = 27
  private static let newestLane = 28
  private static let knownLane = 30
  private static let surpriseLane = 31
  /// What one activity weighs on its day; a user of every day comes to twelve times as much.
  private static let unit: UInt8 = 20
  /// What is left of a weight a day later, in 256ths.
  private static let keptOf256: UInt16 = 235
  private static let kept = Double(keptOf256) / 256
  /// An hour with a smaller share was not to be expected.
  private static let expectedShare = 0.06
  private static let firstSurprise: UInt8 = 100
  /// Behind so many days nothing is left of any weight.
  private static let memoryDays = 60

  /// Somebody who is known from `now` on, and of whom nothing is known yet.
  public init(since now: Instant) {
    self[Self.newestLane] = Self.day(of: now)
    lanes[Self.surpriseLane] = Self.firstSurprise
  }

  /// The bytes of habits that were kept.
  public static let byteCount = 32

  /// Habits from their bytes, of which there must be ``byteCount``.
  public init(bytes: ArraySlice<UInt8>) {
    for (lane, byte) in zip(0..<Self.byteCount, bytes) { lanes[lane] = byte }
  }

  /// Appends the bytes to keep.
  public func appendBytes(to bytes: inout [UInt8]) {
    for lane in 0..<Self.byteCount { bytes.append(lanes[lane]) }
  }

  /// Learns that something of `kind` began at `instant`; of one kind the first of a day counts.
  public mutating func learn(_ kind: ActivityKind, at instant: Instant) {
    let day = Self.day(of: instant)
    let newest = self[Self.newestLane]
    // What a repair grants for days long past tells nothing of now.
    if day < newest { return }
    if day > newest { age(by: Int(day - newest), to: day) }
    guard lanes[Self.learntLane] & KindSet(kind).rawValue == 0 else { return }
    lanes[Self.learntLane] |= KindSet(kind).rawValue
    let hour = Self.hour(of: instant)
    let surprise: UInt16 = share(of: hour).map { $0 < Self.expectedShare } ?? true ? 255 : 0
    lanes[Self.surpriseLane] = UInt8((UInt16(lanes[Self.surpriseLane]) * 7 + surprise) / 8)
    add(Self.unit, to: hour)
    if let place = Self.place(of: kind) { add(Self.unit, to: Self.kindsLane + place) }
  }

  /// Returns the share of an hour, and of the ones beside it, among the hours learnt; nil where none are.
  private func share(of hour: Int) -> Double? {
    var total = 0.0
    for hour in 0..<24 { total += Double(lanes[hour]) }
    if total == 0 { return nil }
    let near =
      Double(lanes[(hour + 23) % 24]) + Double(lanes[(hour + 1) % 24]) + 2 * Double(lanes[hour])
    return near / (4 * total)
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

  /// Returns the place of a polled kind among the three, nil for what no route tells.
  static func place(of kind: ActivityKind) -> Int? {
    switch kind {
    case .stream: 0
    case .watch: 1
    case .gift: 2
    default: nil
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
  /// What is to be expected of a user's day.
  struct Expectation {
    /// The share of the day's first uses that begins in each hour, in UTC; all together 1.
    var hours: SIMD32<Double> = SIMD32()
    /// The probability that a kind is used on a day, in the order of the routes.
    var uses: SIMD4<Double> = SIMD4()
  }

  /// What of a day's uses is not where the habit says, however regular a user is; and with somebody who always surprises.
  private static let strayShare = 0.05
  private static let surpriseShare = 0.8
  /// What is believed of somebody of whom nothing is known, and for how many days' worth it counts.
  private static let priorUse = 0.15
  private static let priorDays = 0.5

  /// What is to be expected on the day of `now`.
  func expectation(at now: Instant) -> Expectation {
    let today = Self.day(of: now)
    let newest = self[Self.newestLane]
    let age = today > newest ? Int(today - newest) : 0
    let left = Self.power(of: age)
    let known = Int(lanes[Self.knownLane]) + age
    // Each day that is over, the newest first.
    let days = Self.kept * (1 - Self.power(of: known)) / (1 - Self.kept)
    var expectation = Expectation()
    for place in 0..<3 {
      let weight = Double(lanes[Self.kindsLane + place]) * left / Double(Self.unit)
      // Of what was never used each day that is known counts, however long ago.
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
