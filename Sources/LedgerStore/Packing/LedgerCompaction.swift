public import Files
internal import Ledger

/// Packs the segments to which nothing is written any more, to save space; they stay readable and verifiable as before.
///
/// The newest segment is never touched, so a service may go on writing. Only one compaction of a ledger at a time: the
/// caller holds the writer's lock, or is the writer. Blocks: never on the cooperative pool.
public struct LedgerCompaction: Sendable {
  /// One segment that was packed, lengths in bytes.
  public struct Packed: Equatable, Sendable {
    /// The segment's name without the ending of its packed form.
    public let segment: String
    /// How long it was.
    public let originalBytes: Int
    /// How long its packed form is.
    public let packedBytes: Int
  }

  private let folder: String
  private let fileSystem: any FileSystem

  /// The compaction of the ledger in `directory`.
  public init(_ directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system) {
    folder = directory.ledger
    self.fileSystem = fileSystem
  }

  /// Packs every segment but the newest `keeping` (at least one), oldest first; tells of each when it is done.
  ///
  /// Every segment is first checked from its beginning to its end; damage stops the compaction before it. What was done
  /// until then stays.
  public func run(
    keeping: Int = 1, _ note: (Packed) -> Void = { _ in }
  ) throws(LedgerError) -> [Packed] {
    let sealed = try SegmentFile.list(in: folder, fileSystem).segments.dropLast(max(1, keeping))
    var done: [Packed] = []
    do {
      let damage = try LedgerVerifier(folder: folder, fileSystem: fileSystem).verify().damage
      let real = damage.filter { $0.kind != .unsealedTail }
      if !real.isEmpty { throw LedgerError(damage: real, in: folder) }
      let packer = SegmentPacker(folder: folder, fileSystem: fileSystem)
      for segment in sealed where !segment.isPacked {
        let (original, packed) = try packer.pack(segment)
        done.append(
          Packed(segment: segment.name, originalBytes: original, packedBytes: packed))
        note(done[done.count - 1])
      }
      return done
    } catch {
      throw LedgerError(any: error)
    }
  }
}
