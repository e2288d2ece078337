internal import Foundations
internal import Ledger

/// Packs the segments that are no longer written to, to save space; they stay as readable and verifiable as before.
///
/// The newest segment is never touched, so a service may keep writing. Only one compaction of a ledger may run at a time: the
/// caller holds the writer's lock, or is the writer. Blocks: never on the cooperative pool.
package struct LedgerCompaction: Sendable {
  /// A packed segment, with lengths in bytes.
  package struct Packed: Equatable, Sendable {
    /// The segment's name without the suffix of its packed form.
    package let segment: String
    /// The original length.
    package let originalBytes: Int
    /// The length of the packed form.
    package let packedBytes: Int
  }

  private let folder: String
  private let fileSystem: any FileSystem

  /// Creates a compaction of the ledger in `directory`.
  package init(_ directory: DataDirectory) {
    folder = directory.ledger
    fileSystem = directory.files
  }

  /// Packs every segment but the newest `keeping` (at least one), oldest first, and reports each when it is done.
  ///
  /// First checks each segment from beginning to end; damage stops the compaction before that segment. Segments packed before
  /// then stay packed.
  package func run(
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
