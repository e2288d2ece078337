import CivilTime
import Foundation
import Foundations
import Testing

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
