import CivilTime
import Foundations

/// The time zone database of the simulated machine, which somebody may replace by a newer one.
///
/// Zones follow one rule for all time, so that a simulation does not depend on the machine's own database; a newer version moves a
/// zone that has no summer time to another offset from an instant on.
final class SimulatedZones: ZoneSource {
  /// A change of the law: from an instant on a zone has another offset.
  struct Change: Sendable, Hashable {
    let zone: String
    let from: Instant
    let offsetSeconds: Int64
  }

  /// The files of one version.
  private struct Files: Equatable {
    var changes: [Change] = []
    /// Names that it does not have.
    var missing: Set<String> = []
  }

  private struct State {
    var installed = Files()
    var loaded = Files()
    var zones: [String: Zone] = [:]
  }

  private let state = Lock(State())

  /// Puts newer files on the machine; a running process goes on with the old ones until it reads them again.
  func install(_ change: Change) { state.withLock { $0.installed.changes.append(change) } }

  /// Takes a name away from the files on the machine.
  func remove(_ name: String) { state.withLock { _ = $0.installed.missing.insert(name) } }

  /// Puts a name back.
  func restore(_ name: String) { state.withLock { _ = $0.installed.missing.remove(name) } }

  /// Reads the files again; whether they are others now.
  func reload() -> Bool {
    state.withLock { state in
      defer {
        state.loaded = state.installed
        state.zones = [:]
      }
      return state.loaded != state.installed
    }
  }

  var version: String { "2026\(state.withLock { Self.letter($0.loaded.changes.count) })" }

  private static func letter(_ number: Int) -> Character {
    Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(number % 26)))
  }

  func zone(named name: String) throws(ZoneError) -> Zone {
    let (kept, files) = state.withLock { ($0.zones[name], $0.loaded) }
    if let kept { return kept }
    guard !files.missing.contains(name), let bytes = Self.file(name, files.changes) else {
      throw ZoneError(name: name, what: "is not known here")
    }
    let zone = try Zone(name: name, tzif: bytes)
    state.withLock { $0.zones[name] = zone }
    return zone
  }

  /// The installed files, by name: for whoever judges by the same zones.
  var files: [(name: String, bytes: [UInt8])] {
    let installed = state.withLock { $0.installed.changes }
    return Self.names.compactMap { name in
      Self.file(name, installed).map { (name, $0) }
    }
  }

  /// The names of all zones, in order.
  static let names = rules.keys.sorted()

  /// The zones that a change may concern, with their offsets: not the one in which the API writes its times.
  static let plainZones: [(name: String, offsetSeconds: Int64)] = [
    ("Asia/Kathmandu", 20_700), ("Asia/Kolkata", 19_800),
    ("Pacific/Apia", 46_800), ("Pacific/Honolulu", -36_000), ("America/Bogota", -18_000),
    ("America/Sao_Paulo", -10_800), ("Africa/Lagos", 3_600), ("Asia/Dubai", 14_400),
  ]

  /// A TZif file of version 2 (RFC 9636) that says a rule, and a change of it.
  private static func file(_ name: String, _ changes: [Change]) -> [UInt8]? {
    guard let rule = rules[name] else { return nil }
    guard let change = changes.last(where: { $0.zone == name }),
      let old = plainZones.first(where: { $0.name == name })
    else { return file(offsets: [0], at: nil, rule) }
    return file(
      offsets: [old.offsetSeconds, change.offsetSeconds], at: change.from.seconds,
      posixRule(of: change.offsetSeconds))
  }

  private static func posixRule(of offset: Int64) -> String {
    let (hours, minutes) = (abs(offset) / 3_600, abs(offset) / 60 % 60)
    // POSIX counts westwards.
    return "<+99>\(offset > 0 ? "-" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
  }

  private static func file(offsets: [Int64], at change: Int64?, _ rule: String) -> [UInt8] {
    let times = change == nil ? 0 : 1
    // Without transitions the rule holds for all time, and the one type for none.
    func header(times: Int, types: Int) -> [UInt8] {
      let counts = [0, 0, 0, times, types, 4].flatMap { number(Int64($0), bytes: 4) }
      return Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts
    }
    let none: [UInt8] = [0, 0]
    let types: [UInt8] = offsets.flatMap { number($0, bytes: 4) + none }
    var bytes = header(times: 0, types: 1) + number(0, bytes: 4) + none + Array("LMT\0".utf8)
    bytes += header(times: times, types: offsets.count)
    if let change { bytes += number(change, bytes: 8) + [1] }
    return bytes + types + Array("LMT\0".utf8) + Array("\n\(rule)\n".utf8)
  }

  private static func number(_ value: Int64, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
  }

  private static let rules: [String: String] = [
    "Asia/Tokyo": "JST-9",
    "America/New_York": "EST5EDT,M3.2.0,M11.1.0",
    "America/Los_Angeles": "PST8PDT,M3.2.0,M11.1.0",
    "America/Chicago": "CST6CDT,M3.2.0,M11.1.0",
    "Europe/London": "GMT0BST,M3.5.0/1,M10.5.0",
    "Europe/Berlin": "CET-1CEST,M3.5.0,M10.5.0/3",
    "Europe/Paris": "CET-1CEST,M3.5.0,M10.5.0/3",
    "Africa/Cairo": "EET-2EEST,M4.5.5/0,M10.5.4/24",
    "America/Santiago": "<-04>4<-03>,M9.1.6/24,M4.1.6/24",
    "America/Havana": "CST5CDT,M3.2.0/0,M11.1.0/1",
    "America/St_Johns": "NST3:30NDT,M3.2.0,M11.1.0",
    "Asia/Kathmandu": "<+0545>-5:45",
    "Asia/Kolkata": "IST-5:30",
    "Australia/Lord_Howe": "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "Pacific/Apia": "<+13>-13",
    "Pacific/Kiritimati": "<+14>-14",
    "Pacific/Honolulu": "HST10",
    "Pacific/Marquesas": "<-0930>9:30",
    "America/Anchorage": "AKST9AKDT,M3.2.0,M11.1.0",
    "America/Phoenix": "MST7",
    "America/Denver": "MST7MDT,M3.2.0,M11.1.0",
    "America/Mexico_City": "CST6",
    "America/Bogota": "<-05>5",
    "America/Caracas": "<-04>4",
    "America/Sao_Paulo": "<-03>3",
    "America/Asuncion": "<-03>3",
    "America/Nuuk": "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
    "Atlantic/Azores": "<-01>1<+00>,M3.5.0/0,M10.5.0/1",
    "Africa/Casablanca": "<+00>0",
    "Africa/Lagos": "WAT-1",
    "Europe/Istanbul": "<+03>-3",
    "Asia/Beirut": "EET-2EEST,M3.5.0/0,M10.5.0/0",
    "Asia/Tehran": "<+0330>-3:30",
    "Asia/Dubai": "<+04>-4",
    "Asia/Kabul": "<+0430>-4:30",
    "Asia/Karachi": "PKT-5",
    "Asia/Dhaka": "<+06>-6",
    "Asia/Yangon": "<+0630>-6:30",
    "Asia/Bangkok": "<+07>-7",
    "Asia/Shanghai": "CST-8",
    "Australia/Eucla": "<+0845>-8:45",
    "Australia/Adelaide": "ACST-9:30ACDT,M10.1.0,M4.1.0/3",
    "Australia/Sydney": "AEST-10AEDT,M10.1.0,M4.1.0/3",
    "Pacific/Auckland": "NZST-12NZDT,M9.5.0,M4.1.0/3",
    "Pacific/Chatham": "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
  ]
}
