public import CivilTime
internal import StrictJSON
internal import Threading

/// The time zones of the operating system: TZif files in a directory, each read once.
///
/// Safe to call from any thread. The first question about a name reads one small file on the caller's thread; answers,
/// refusals included, are then kept until ``reload()``. A name that is a link is an ordinary file here.
public final class SystemZones: ZoneSource {
  /// Where the system keeps its zones when nothing else is said.
  public static let defaultDirectory = "/usr/share/zoneinfo"

  /// Refused names that are remembered; more are looked up again.
  private static let greatestRefusalCount = 1_000

  /// A zone with the bytes that made it, to find out whether its file was replaced.
  private struct ReadZone {
    let zone: Zone
    let bytes: [UInt8]
  }

  private struct State {
    var version: String
    var builtAt: Instant?
    var zones: [String: ReadZone] = [:]
    var refusals: [String: ZoneError] = [:]
    /// Counts reloads: what was read before one is not kept after it.
    var generation = 0
  }

  /// The directory that holds the files.
  public let directory: String
  private let state: Lock<State>

  /// The zones in `directory`, as `$TZDIR` names it; nil or empty for ``defaultDirectory``.
  public init(directory: String?) {
    let given = directory ?? ""
    let directory = given.isEmpty ? Self.defaultDirectory : given
    self.directory = directory
    state = Lock(
      State(
        version: ZoneDatabaseVersion.read(in: directory),
        builtAt: ZoneDatabaseVersion.builtAt(in: directory)))
  }

  /// The version of the database when it was last loaded, as `2026f`; `unknown` when no file tells.
  public var version: String { state.withLock { $0.version } }

  /// When the file that tells the version was made, which a package keeps when it is installed.
  public var builtAt: Instant? { state.withLock { $0.builtAt } }

  /// The zone with this name, in exactly this case; throws for names that are none without touching the disk.
  public func zone(named name: String) throws(ZoneError) -> Zone {
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

  /// The names of all zones in the directory, links included, sorted. Reads the whole directory.
  public func names() -> [String] { ZoneDirectory(path: directory).names() }

  /// Forgets what was read if the database is another one now, so that it is read anew; tells whether it is.
  ///
  /// It is when the version is another, or the file of a zone that was asked for: not every release tells its version,
  /// and a vendor may mend one without a new name.
  @discardableResult
  public func reload() -> Bool {
    let version = ZoneDatabaseVersion.read(in: directory)
    let known = state.withLock { $0.zones }
    let isChanged =
      version != self.version || known.contains { bytes(of: $0.key) != $0.value.bytes }
    state.withLock { state in
      let generation = state.generation + 1
      // Names that were refused may have come with the files.
      state = State(
        version: version, builtAt: ZoneDatabaseVersion.builtAt(in: directory),
        zones: isChanged ? [:] : state.zones, generation: generation)
    }
    return isChanged
  }

  /// What the file of a zone holds; nil when it cannot be read.
  private func bytes(of name: String) -> [UInt8]? {
    // One byte more than a zone may have: a longer file is refused rather than cut.
    SmallFile.read("\(directory)/\(name)", limitBytes: Zone.greatestFileBytes + 1)
  }

  private func load(_ name: String) throws(ZoneError) -> ReadZone {
    guard let bytes = bytes(of: name) else {
      let hint = NearestName.hint(for: name, among: names())
      throw ZoneError(
        name: name, what: "no readable file in \(directory)\(hint); use an IANA name as Asia/Tokyo")
    }
    return ReadZone(zone: try Zone(name: name, tzif: bytes), bytes: bytes)
  }
}
