internal import Described
internal import Digests
internal import Ledger

/// `backup.json`: how far each part of a backup folder is complete. Replacing this file is what makes a backup count.
struct BackupManifest: Equatable, Sendable {
  /// Where a chain of segments ends in the backup; bytes after it belong to an unfinished copy.
  struct Mark: Equatable, Sendable {
    /// The number of the last segment's first line.
    var firstSeq: UInt64
    /// How many bytes of the last segment count, uncompressed.
    var endByte: Int
    /// The seal at that end.
    var head: LedgerHead

    fileprivate var isSound: Bool { firstSeq > 0 && endByte > 0 && head.seq > 0 }
  }

  static let currentVersion = 1
  static let name = "backup.json"
  /// Far more than the manifest of a thousand sinks and a hundred thousand waiting files needs.
  static let limitBytes = 64 << 20

  private var version = currentVersion
  /// The ledger's id.
  var ledger: String
  /// Which of several ledgers it is, as `1 of 4`; nil if it has all users.
  var shard: String?
  /// When the last backup finished, as text of an instant; nil until the first one has.
  var madeAt: String?
  /// The end of each chain, by its folder within the data folder: `ledger`, and in older backups also `relay/journal` and the
  /// like.
  var chains: [String: Mark] = [:]
  /// The digest of each other file, by its path within the data folder; `files/` holds the bytes under that digest.
  var files: [String: Digest] = [:]

  init(ledger: String) { self.ledger = ledger }

  /// Reads a document; nil if it is not a manifest of this version.
  init?(_ text: [UInt8]) {
    guard let manifest = try? Self(json: text), manifest.version == Self.currentVersion,
      manifest.chains.allSatisfy({ Self.isInside($0.key) && $0.value.isSound }),
      manifest.files.keys.allSatisfy(Self.isInside)
    else { return nil }
    self = manifest
  }

  /// The sinks that the backup has data for, in order. Older backups hold them as chains, including logs that were set aside.
  var sinks: [String] {
    let names = (Array(files.keys) + Array(chains.keys)).compactMap { path -> String? in
      let parts = path.split(separator: "/")
      return parts.first == "relay" && parts.count > 1 ? String(parts[1]) : nil
    }
    return Set(names).filter { !$0.contains("~") }.sorted()
  }

  /// The document as text, for people and programs.
  var text: [UInt8] { jsonLine }

  /// Returns whether a path stays inside the folder it belongs to.
  private static func isInside(_ path: String) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0 != "." && $0 != ".."
    }
  }
}

extension BackupManifest: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    version = try coder.field("backup", value?.pointee.version)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    shard = try coder.nullable("shard", value?.pointee.shard)
    madeAt = try coder.nullable("madeAt", value?.pointee.madeAt)
    let chains = try coder.field("chains", (value?.pointee.chains).map(BackedUpChain.sorted))
    let files = try coder.field("files", (value?.pointee.files).map(BackedUpFile.sorted))
    self.chains = Dictionary(chains.map { ($0.folder, $0.mark) }) { $1 }
    self.files = Dictionary(files.map { ($0.path, $0.sha256) }) { $1 }
  }
}

/// A chain and its folder.
private struct BackedUpChain {
  let folder: String
  let mark: BackupManifest.Mark

  static func sorted(_ chains: [String: BackupManifest.Mark]) -> [BackedUpChain] {
    chains.sorted { $0.key < $1.key }.map { BackedUpChain(folder: $0.key, mark: $0.value) }
  }
}

extension BackedUpChain: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    folder = try coder.field("folder", value?.pointee.folder)
    mark = BackupManifest.Mark(
      firstSeq: try coder.field("segment", value?.pointee.mark.firstSeq),
      endByte: try coder.field("endByte", value?.pointee.mark.endByte),
      head: LedgerHead(try coder.field("head", value?.pointee.mark.head.description)) ?? .origin)
  }
}

/// A file and its digest.
private struct BackedUpFile {
  let path: String
  let sha256: Digest

  static func sorted(_ files: [String: Digest]) -> [BackedUpFile] {
    files.sorted { $0.key < $1.key }.map { BackedUpFile(path: $0.key, sha256: $0.value) }
  }
}

extension BackedUpFile: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    path = try coder.field("path", value?.pointee.path)
    sha256 = try coder.field("sha256", value?.pointee.sha256)
  }
}
