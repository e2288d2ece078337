package import CivilTime
internal import StrictJSON

/// The operating system's time zones, from TZif files in a directory, each read once.
///
/// Safe to call from any thread. The first lookup of a name reads one small file on the caller's thread; results,
/// refusals included, are then cached until ``reload()``. A symbolic link counts as an ordinary file.
package final class SystemZones: ZoneSource {
  /// The system's default zone directory.
  package static let defaultDirectory = "/usr/share/zoneinfo"

  /// The most refused names cached; any further name is looked up again.
  private static let greatestRefusalCount = 1_000

  /// A zone with the bytes it was read from, to detect a replaced file.
  private struct ReadZone {
    let zone: Zone
    let bytes: [UInt8]
  }

  private struct State {
    var version: String
    var builtAt: Instant?
    var zones: [String: ReadZone] = [:]
    var refusals: [String: ZoneError] = [:]
    /// Counts reloads, so that a zone read before a reload is not cached after it.
    var generation = 0
  }

  /// The directory that holds the files.
  package let directory: String
  private let state: Lock<State>

  /// Creates the zones of `directory`, the value of `$TZDIR`; nil or empty means ``defaultDirectory``.
  package init(directory: String?) {
    let given = directory ?? ""
    let directory = given.isEmpty ? Self.defaultDirectory : given
    self.directory = directory
    state = Lock(
      State(
        version: ZoneDatabaseVersion.read(in: directory),
        builtAt: ZoneDatabaseVersion.builtAt(in: directory)))
  }

  /// The database version at the last load, e.g. `2026f`; `unknown` if no file states it.
  package var version: String { state.withLock { $0.version } }

  /// When the file that states the version was made. Packages keep that time when installed.
  package var builtAt: Instant? { state.withLock { $0.builtAt } }

  /// Returns the zone with exactly this name, case included. Throws for invalid names without touching the disk.
  package func zone(named name: String) throws(ZoneError) -> Zone {
    try ZoneName.check(name)
    let (known, generation) = state.withLock {
      (
        $0.zones[name].map { Result<Zone, ZoneError>.success($0.zone) }
          ?? $0.refusals[name].map { .failure($0) }, $0.generation
      )
    }
    if let known { return try known.get() }
    let read = Result { () throws(ZoneError) in try load(name) }
    state.withLock { state in
      guard state.generation == generation else { return }
      switch read {
      case .success(let read): state.zones[name] = read
      case .failure(let error):
        if state.refusals.count < Self.greatestRefusalCount { state.refusals[name] = error }
      }
    }
    return try read.get().zone
  }

  /// Returns the names of all zones in the directory, links included, sorted. Reads the whole directory.
  package func names() -> [String] { ZoneDirectory(path: directory).names() }

  /// Discards what was read if the database has changed, and returns whether it has.
  ///
  /// It has changed if its version differs, or the file of any zone looked up so far. The files count too, because
  /// not every release states its version, and a vendor may patch one without renaming it.
  @discardableResult
  package func reload() -> Bool {
    let version = ZoneDatabaseVersion.read(in: directory)
    let known = state.withLock { $0.zones }
    let isChanged =
      version != self.version || known.contains { bytes(of: $0.key) != $0.value.bytes }
    state.withLock { state in
      let generation = state.generation + 1
      // Names refused before may exist now.
      state = State(
        version: version, builtAt: ZoneDatabaseVersion.builtAt(in: directory),
        zones: isChanged ? [:] : state.zones, generation: generation)
    }
    return isChanged
  }

  /// Returns the contents of a zone's file; nil if it cannot be read.
  private func bytes(of name: String) -> [UInt8]? {
    // One byte over the limit, so that a longer file is refused rather than truncated.
    SmallFile.read("\(directory)/\(name)", limitBytes: Zone.greatestFileBytes + 1)
  }

  private func load(_ name: String) throws(ZoneError) -> ReadZone {
    guard let bytes = bytes(of: name) else {
      let hint = NearestName.hint(for: name, among: names())
      throw ZoneError(
        name: name,
        what: "no readable file in \(directory)\(hint); use an IANA name such as Asia/Tokyo")
    }
    return ReadZone(zone: try Zone(name: name, tzif: bytes), bytes: bytes)
  }
}
