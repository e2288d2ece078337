import CivilTime
import Foundation
import Testing
import ZoneFiles

/// The tables that `Tables/make_tables.py` makes, and the zones that go with them.
enum TestTables {
  static let folder = Bundle.module.bundlePath + "/Tables"
  static let zones = SystemZones(directory: folder + "/zoneinfo")
  static let system = SystemZones(directory: nil)

  /// The lines of a table, split at tabs.
  static func rows(_ name: String) throws -> [[String]] {
    try String(contentsOfFile: "\(folder)/\(name).tsv", encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
  }

  static func zone(_ name: String) throws -> Zone { try zones.zone(named: name) }

  /// The TZif file of a zone.
  static func bytes(_ zone: String, in folder: String = folder + "/zoneinfo") throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(zone)")))
  }

  /// The instant that `text` names.
  static func instant(_ text: String) throws -> Instant {
    try InstantText.parse(text).instant
  }
}

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
