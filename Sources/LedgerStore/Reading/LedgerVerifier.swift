internal import Digests
package import Foundations
package import Ledger

/// Verifies a ledger's files on several threads, without changing anything.
///
/// A seal contains the state of the chain, so the stretches between seals are checked in parallel. Memory grows with the ledger
/// only by the needs of `GrantKeys`. Blocks the caller: never on the cooperative pool.
package struct LedgerVerifier: Sendable {
  let folder: String
  let fileSystem: any FileSystem
  private let threads: Int
  private let stretchBytes: Int
  /// How many grant keys memory holds.
  var keyLimits = GrantKeys.Limits()

  /// Creates a verifier of the segments in `folder`, on at most `threads` threads; tests choose short stretches.
  package init(
    folder: String, fileSystem: any FileSystem, threads: Int = Concurrently.threads,
    stretchBytes: Int = 16 << 20
  ) {
    self.folder = folder
    self.fileSystem = SegmentFileSystem(fileSystem)
    self.threads = threads
    self.stretchBytes = stretchBytes
  }

  /// Creates a verifier of the ledger in `directory`.
  package init(_ directory: DataDirectory) {
    self.init(folder: directory.ledger, fileSystem: directory.files)
  }

  /// Verifies every line; `heads` are known from outside and must be in the ledger. Adds the lines to `counts` in passing.
  ///
  /// Calls `progress`, on any thread, with the number of finished stretches and the total.
  package func verify(
    heads: [LedgerHead] = [], counts: LineCounts? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(LedgerError) -> VerificationReport {
    let (segments, strangers) = try SegmentFile.list(in: folder, fileSystem)
    if segments.isEmpty && strangers.isEmpty {
      throw LedgerError(
        .missing, place: folder, cause: "there is no ledger", remedy: "check the data folder")
    }
    var report = try verify(
      segments, from: ChainStart(), heads: heads, counts: counts, progress: progress)
    report.damage += strangers.map(Damage.init(stranger:))
    return report
  }

  /// Verifies every line after `start`, or only those of the first `count` segments.
  func verify(
    _ segments: [SegmentFile], from start: ChainStart, heads: [LedgerHead], upTo count: Int? = nil,
    counts: LineCounts? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(LedgerError) -> VerificationReport {
    do {
      let stretches = try stretches(segments, from: start, upTo: count ?? segments.count)
      let fold = try check(stretches, start, heads, counts, progress)
      return try fold.finished(heads, segments, threads: threads)
    } catch {
      throw LedgerError(any: error)
    }
  }

  private func stretches(
    _ segments: [SegmentFile], from start: ChainStart, upTo count: Int
  ) throws -> [Stretch] {
    var stretches: [Stretch] = []
    // Nil after a segment that cannot be unpacked.
    var begin: SealPlace? = start.place
    for (index, segment) in segments.enumerated().prefix(count).dropFirst(start.segment) {
      // Nil if not even its length can be read.
      let size = try unlessUnreadable {
        try fileSystem.reading(segment.path) { try fileSystem.size(of: $0) }
      }
      let first = begin?.endByte ?? 0
      var lower = first
      repeat {
        let upper = (size ?? 0) - lower > stretchBytes ? lower + stretchBytes : Int.max
        stretches.append(
          Stretch(
            segment: segment, segmentIndex: index, isLastSegment: index == segments.count - 1,
            size: size ?? 0, start: lower == first ? begin : nil, range: lower..<upper))
        lower = upper
      } while lower < size ?? 0
      begin = try unlessUnreadable { try end(of: segment) ?? begin?.state }?
        .map { SealPlace(state: $0, endByte: 0, lines: 0) }
    }
    return stretches
  }

  /// Returns the state at a segment's last seal; nil if it has none.
  private func end(of segment: SegmentFile) throws -> ChainState? {
    try fileSystem.reading(segment.path) { file in
      let size = try fileSystem.size(of: file)
      return try SealSearch(fileSystem: fileSystem).last(in: file, before: size)?.state
    }
  }

  private func check(
    _ stretches: [Stretch], _ start: ChainStart, _ heads: [LedgerHead], _ counts: LineCounts?,
    _ progress: @Sendable (Int, Int) -> Void
  ) throws -> VerificationFold {
    struct Work {
      var next = 0
      var done = 0
      var fold: VerificationFold
      var failure: (any Error)?
    }
    let known = Dictionary(heads.map { ($0.seq, $0.hash) }, uniquingKeysWith: { _, last in last })
    let keys = GrantKeys(fileSystem, keyLimits)
    let work = Lock(Work(fold: VerificationFold(start: start, keys: keys, counts: counts)))
    Concurrently.perform(min(threads, stretches.count)) { _ in
      while let index = work.withLock({ work -> Int? in
        guard work.failure == nil, work.next < stretches.count else { return nil }
        work.next += 1
        return work.next - 1
      }) {
        do {
          let outcome = try stretches[index].check(fileSystem, heads: known, counts: counts)
          let done = try work.withLock { work in
            try work.fold.add(outcome, of: stretches[index], index: index)
            work.done += 1
            return work.done
          }
          progress(done, stretches.count)
        } catch {
          work.withLock { $0.failure = $0.failure ?? error }
        }
      }
    }
    return try work.withLock { work in
      if let failure = work.failure { throw failure }
      return work.fold
    }
  }
}

/// The result of a verification.
package struct VerificationReport: Sendable {
  /// All damage, in order of position; at most ``ChainChecker/damageLimit`` entries for each stretch of a segment.
  package internal(set) var damage: [Damage] = []
  /// The number of lines checked.
  package internal(set) var records = 0
  /// The counts of the lines up to the seal that was the last when counting began, without those taken back; nil if they were not
  /// counted, or could not be.
  package internal(set) var counts: LineCounts?
  /// The last seal's sequence number and hash.
  package internal(set) var head = LedgerHead.origin

  package init() {}

  /// Whether there is no damage except, at most, a final batch that no seal commits yet.
  package var isIntact: Bool { damage.allSatisfy { $0.kind == .unsealedTail } }

  /// The index of the segment that holds the last seal.
  var lastSegment = 0
  var lastSeal = SealPlace(state: .origin, endByte: 0, lines: 0)
  var sealBefore = SealPlace(state: .origin, endByte: 0, lines: 0)
}

/// The start of a verification: a trusted seal, or the beginning of the ledger.
struct ChainStart {
  /// The index of the first segment to check.
  var segment = 0
  /// The trusted seal.
  var place = SealPlace(state: .origin, endByte: 0, lines: 0)
}
