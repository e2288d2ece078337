import CivilTime
import Configuration
import Digests
import Foundations

/// The inputs that all workers of a database must share; otherwise a user's rewards would depend on which worker serves the shard.
///
/// Published to the others as one line of digests, `settings=1f0a… rules=77b2… roster=none jobs=03c4…`.
struct WorkerInputs: Equatable, Sendable, CustomStringConvertible {
  /// The names of the compared parts, in display order.
  static let parts = ["settings", "rules", "roster", "jobs", zonesPart]
  private static let zonesPart = "zones"

  /// The digest of each part by name: `none` if the part is missing, `unreadable` if it cannot be read.
  let digests: [String: String]

  /// Settings that say where this machine keeps things, by the last part of their path; the contents found there are compared instead.
  private static let places: Set<String> = [
    "data", "users", "rules", "drawSecret", "jobs", "listen", "baseURL", "token", "credentials",
    "secret", "previousSecret", "path",
  ]

  /// Reads the inputs that `configuration` names, and the time zones. Blocks.
  init(reading configuration: Configuration, _ zones: SystemZones) {
    let settings = configuration.settings.lazy.filter { setting in
      !Self.places.contains(setting.path.split(separator: ".").last.map(String.init) ?? "")
    }
    digests = [
      "settings": Self.digest(of: settings.map { Array("\($0.path)=\($0.value)".utf8) }),
      "rules": Self.digest(ofFiles: configuration.rules, configuration.files),
      "roster": Self.digest(ofFiles: [configuration.users], configuration.files),
      "jobs": Self.digest(ofJobs: configuration.jobs, configuration.files),
      Self.zonesPart: "\(zones.version)/\(Self.digest(of: zones))",
    ]
  }

  /// Parses the inputs that another worker has published, leaving out parts it cannot read.
  init(parsing text: String) {
    let pairs = text.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1) }
    digests = Dictionary(
      pairs.lazy.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
      uniquingKeysWith: { first, _ in first })
  }

  var description: String {
    digests.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// Returns the parts in which any of several workers differ, in order. A part that a worker has not published is no difference.
  static func differences(among workers: [WorkerInputs]) -> [String] {
    var seen: [String: Set<String>] = [:]
    for worker in workers {
      for (part, digest) in worker.digests { seen[part, default: []].insert(digest) }
    }
    return seen.filter { $0.value.count > 1 }.keys.sorted()
  }

  /// The dates on which zones are compared: the year this was written and the next two; later dates follow the same rules.
  private static let comparedDays = Day(number: 20_454)..<Day(number: 21_550)

  /// Returns a digest of when each zone's days begin, because zone files may say the same thing in several ways.
  private static func digest(of zones: SystemZones) -> String {
    digest(
      of: zones.names().lazy.map { name in
        var text = Array(name.utf8)
        guard let zone = try? zones.zone(named: name) else { return text }
        // A rule change shows as a day whose length differs from the day before.
        var window = zone.window(
          containing: Instant(seconds: Int64(comparedDays.lowerBound.number) * 86_400))
        var length: Int64 = 0
        while window.day < comparedDays.upperBound {
          let seconds = window.end.seconds(since: window.start)
          if seconds != length { text += Array(" \(window.start.seconds) \(seconds)".utf8) }
          length = seconds
          window = zone.nextWindow(after: window)
        }
        return text
      })
  }

  private static func digest(ofFiles paths: [String], _ files: any FileSystem) -> String {
    if paths.isEmpty { return "none" }
    do throws(ReadError) {
      var contents: [[UInt8]] = []
      for path in paths { contents.append(try files.readInput(path, limitBytes: 1 << 30)) }
      return digest(of: contents)
    } catch {
      return error.isMissing ? "none" : "unreadable"
    }
  }

  private static func digest(ofJobs folder: String, _ files: any FileSystem) -> String {
    guard let names = try? files.namesIfPresent(in: folder) else {
      return "unreadable"
    }
    return digest(
      ofFiles: names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }, files)
  }

  /// Returns half of the SHA-256 of the pieces, each preceded by its length.
  private static func digest(of pieces: some Sequence<[UInt8]>) -> String {
    var hash = SHA256()
    for piece in pieces {
      hash.update(Array("\(piece.count) ".utf8))
      hash.update(piece)
    }
    return String("\(hash.finish())".prefix(32))
  }
}

extension WorkerInputs {
  /// The prefix of a worker's digests while it leaves all ledgers to others.
  private static let heldBack = "held "

  /// Returns the text that a worker publishes, held back or not.
  func text(isHeldBack: Bool) -> String { (isHeldBack ? Self.heldBack : "") + description }

  /// Whether a worker that publishes this text leaves all ledgers to others.
  static func isHeldBack(_ told: String) -> Bool { told.hasPrefix(heldBack) }

  /// Whether a worker with these inputs must leave all ledgers to one with `others` because their time zones differ. It always yields to
  /// newer zones, and to different ones of the same version unless it `hasPrecedence`.
  func yields(to others: WorkerInputs, hasPrecedence: Bool) -> Bool {
    guard let own = digests[Self.zonesPart], let theirs = others.digests[Self.zonesPart],
      own != theirs
    else { return false }
    let (version, newest) = (Self.version(of: own), Self.version(of: theirs))
    return version == newest ? !hasPrecedence : version < newest
  }

  /// Returns the version before the digest, such as `2026f`.
  private static func version(of zones: String) -> Substring { zones.prefix { $0 != "/" } }
}
