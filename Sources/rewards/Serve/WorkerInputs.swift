import CivilTime
import Configuration
import Digests
import Foundations

/// What a worker goes by and all workers of a database must have alike: a user would else earn by whoever serves the shard.
///
/// Told to the others as one line of digests, `settings=1f0a… rules=77b2… roster=none jobs=03c4…`.
struct WorkerInputs: Equatable, Sendable, CustomStringConvertible {
  /// What is compared, in the order in which people are told.
  static let parts = ["settings", "rules", "roster", "jobs", zonesPart]
  private static let zonesPart = "zones"

  /// The digest of each part, by its name. Of what is not there it is `none`, of one that cannot be read `unreadable`.
  let digests: [String: String]

  /// Settings that say where this machine has things, by the last part of their path. The contents of what they name are compared.
  private static let places: Set<String> = [
    "data", "users", "rules", "drawSecret", "jobs", "listen", "baseURL", "token", "credentials",
    "secret", "previousSecret", "path",
  ]

  /// Reads what `configuration` names, and the time zones. Blocks.
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

  /// What another worker has told; parts that cannot be made out are left out.
  init(parsing text: String) {
    let pairs = text.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1) }
    digests = Dictionary(
      pairs.lazy.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
      uniquingKeysWith: { first, _ in first })
  }

  var description: String {
    digests.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// The parts in which any of several workers differ, in order; a part that a worker has not told is no difference.
  static func differences(among workers: [WorkerInputs]) -> [String] {
    var seen: [String: Set<String>] = [:]
    for worker in workers {
      for (part, digest) in worker.digests { seen[part, default: []].insert(digest) }
    }
    return seen.filter { $0.value.count > 1 }.keys.sorted()
  }

  /// The dates by which zones are compared: of this year and the next two when this was written; later ones follow the same rules.
  private static let comparedDays = Day(number: 20_454)..<Day(number: 21_550)

  /// A digest of when the days of each zone begin, which is what counts: files may say the same in several ways.
  private static func digest(of zones: SystemZones) -> String {
    digest(
      of: zones.names().lazy.map { name in
        var text = Array(name.utf8)
        guard let zone = try? zones.zone(named: name) else { return text }
        // A change of the rules shows where a day is not as long as the one before.
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

  /// Half of the SHA-256 of the pieces, each behind its length.
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
  /// What a worker tells before its digests while it leaves all ledgers to others.
  private static let heldBack = "held "

  /// What a worker tells that is held back, or is not.
  func text(isHeldBack: Bool) -> String { (isHeldBack ? Self.heldBack : "") + description }

  /// Whether a worker that tells this leaves all ledgers to others.
  static func isHeldBack(_ told: String) -> Bool { told.hasPrefix(heldBack) }

  /// Whether a worker with these inputs must leave all ledgers to one with `others`, because their time zones differ: to newer ones always,
  /// to others of the same version unless it `hasPrecedence`.
  func yields(to others: WorkerInputs, hasPrecedence: Bool) -> Bool {
    guard let own = digests[Self.zonesPart], let theirs = others.digests[Self.zonesPart],
      own != theirs
    else { return false }
    let (version, newest) = (Self.version(of: own), Self.version(of: theirs))
    return version == newest ? !hasPrecedence : version < newest
  }

  /// The version before the digest, as `2026f`.
  private static func version(of zones: String) -> Substring { zones.prefix { $0 != "/" } }
}
