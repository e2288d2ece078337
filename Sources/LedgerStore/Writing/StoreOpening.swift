internal import Foundations
internal import Ledger

/// The steps of opening a store: finding where to begin, checking what must be there, and continuing the log.
struct StoreOpening {
  let log: SealedLog
  private(set) var report = OpeningReport()
  /// The snapshot's seal, if there is one: reading after it needs no search.
  let known: LedgerReader.KnownSeal?

  init(
    _ configuration: LedgerConfiguration, _ dependencies: LedgerStore.Dependencies,
    _ knownHeads: [LedgerHead]
  ) throws {
    let fileSystem = SegmentFileSystem(configuration.directory.files)
    let directory = configuration.directory
    let folder = directory.ledger
    let (segments, strangers) = try SegmentFile.list(in: folder, fileSystem)
    if let stranger = strangers.first {
      throw LedgerError(damage: [Damage(stranger: stranger)], in: folder)
    }
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: fileSystem)
    var (found, skipped) = try snapshots.newest()
    let genesis = try Self.genesis(segments, fileSystem)
    if let genesis {
      skipped += found.filter { $0.header.ledger != genesis.ledger }
        .map { "\($0.path): the snapshot belongs to ledger \($0.header.ledger)" }
      found = found.filter { $0.header.ledger == genesis.ledger }
    }
    let start = try Self.start(found.first?.header, segments, fileSystem)
    for head in knownHeads where head.seq <= start.place.state.seq {
      try Self.require(head, segments, fileSystem)
    }
    let later = knownHeads.filter { $0.seq > start.place.state.seq }
    if segments.isEmpty, let head = later.first { throw Self.missing(head, in: folder) }
    let opening = LogOpening(
      folder: folder, stateFolder: directory.state,
      segmentLimitBytes: configuration.segmentLimitBytes, fileSystem: fileSystem,
      monotonicSeconds: dependencies.monotonicSeconds)
    let opened = try opening.open(segments, from: start, heads: later)
    log = opened.log
    known =
      found.isEmpty
      ? nil
      : LedgerReader.KnownSeal(segment: segments[start.segment].name, place: start.place)
    report.ledger = genesis?.ledger ?? ""
    report.snapshot = found.isEmpty ? nil : start.place.state.head
    report.skippedSnapshots = skipped
    report.cut = opened.cut
    report.checkedRecords = opened.checkedRecords
  }

  /// Returns the ledger's first line; nil if there is none, or a crash cut it short during the first batch.
  private static func genesis(
    _ segments: [SegmentFile], _ fileSystem: any FileSystem
  ) throws -> GenesisRecord? {
    guard let first = segments.first else { return nil }
    do {
      return try Genesis.read(first, fileSystem)
    } catch let error as LedgerError {
      if error.kind == .newerFormat { throw error }
      // The chain check names the place, or finds that nothing was ever sealed.
      return nil
    }
  }

  /// Returns the seal of the newest snapshot: at the position that the snapshot names or, if segments were divided anew, by its
  /// sequence number.
  private static func start(
    _ header: SnapshotHeader?, _ segments: [SegmentFile], _ fileSystem: any FileSystem
  ) throws -> ChainStart {
    guard let header else { return ChainStart() }
    if let index = segments.firstIndex(where: { $0.name == header.segment }) {
      let seal = try fileSystem.reading(segments[index].path) { file in
        try SealSearch(fileSystem: fileSystem).seal(in: file, endingAt: header.endByte)
      }
      if var place = seal, place.state.head == header.head {
        place.lines = header.lines
        return ChainStart(segment: index, place: place)
      }
    }
    guard let index = segments.lastIndex(where: { $0.firstSeq <= header.head.seq }),
      let place = try SealSearch(fileSystem: fileSystem).seal(header.head, in: segments[index])
    else { throw missing(header.head, in: header.segment) }
    return ChainStart(segment: index, place: place)
  }

  private static func require(
    _ head: LedgerHead, _ segments: [SegmentFile], _ fileSystem: any FileSystem
  ) throws {
    guard head.seq > 0 else { return }
    let segment = segments.last { $0.firstSeq <= head.seq }
    guard let segment, try SealSearch(fileSystem: fileSystem).seal(head, in: segment) != nil else {
      throw missing(head, in: segment?.name ?? "ledger")
    }
  }

  private static func missing(_ head: LedgerHead, in place: String) -> LedgerError {
    LedgerError(
      .headMissing, place: place,
      cause: "the ledger does not hold the head \(head), which was recorded outside it: "
        + "whole records were cut from its end, or it is another ledger",
      remedy:
        "nothing was changed; move the data folder away and restore a backup: `rewards ledger restore DIR`"
    )
  }
}
