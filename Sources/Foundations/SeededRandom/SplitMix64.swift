/// Random numbers that a seed determines, the same on every machine: SplitMix64 (Steele, Lea, Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of one seed.
  package init(seed: UInt64) { state = seed }

  /// The numbers of one purpose under a seed: other parts give other numbers.
  package init(seed: UInt64, _ parts: UInt64...) {
    state = seed
    for part in parts { state = next() ^ part &* 0xD6E8_FEB8_6659_FD93 }
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to, not including, 1.
  package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True with a probability from 0 to 1.
  package mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  /// A number of the range; the range is far smaller than 64 bits.
  package mutating func number(in range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// An element of an array that is not empty.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(next() % UInt64(elements.count))]
  }
}
