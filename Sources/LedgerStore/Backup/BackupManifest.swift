internal import Digests
internal import Files
internal import Ledger
internal import StrictJSON

/// `backup.json`: up to where a backup folder holds what. Replacing it is what makes a backup count.
struct BackupManifest: Equatable, Sendable {
  /// Where a chain of segments ends in the backup: what lies behind that was never finished.
  struct Mark: Equatable, Sendable {
    /// The number of the last segment's first line.
    var firstSeq: UInt64
    /// How many bytes of the last segment count, as it is unpacked.
    var endByte: Int
    /// The seal that ends there.
    var head: LedgerHead
  }

  static let currentVersion = 1
  static let name = "backup.json"
  /// Far more than the manifest of a thousand sinks and a hundred thousand waiting files.
  static let limitBytes = 64 << 20

  /// The ledger's id.
  var ledger: String
  /// Which of several ledgers it is, as `1 of 4`; nil for one that has all users.
  var shard: String?
  /// When the last backup was finished, as text of an instant; nil while the first one never was.
  var madeAt: String?
  /// The end of each chain, by its folder within the data folder, as `ledger` or `relay/journal`.
  var chains: [String: Mark] = [:]
  /// The digest of each other file, by its path within the data folder; the bytes lie in `files/` under it.
  var files: [String: Digest] = [:]

  /// The document, for people and programs.
  var text: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("backup", Self.currentVersion)
    json.member("ledger", ledger)
    json.member("shard", shard)
    json.member("madeAt", madeAt)
    json.objects("chains", chains.sorted { $0.key < $1.key }) { json, chain in
      json.member("folder", chain.key)
      json.member("segment", chain.value.firstSeq)
      json.member("endByte", chain.value.endByte)
      json.member("head", chain.value.head.description)
    }
    json.objects("files", files.sorted { $0.key < $1.key }) { json, file in
      json.member("path", file.key)
      json.member("sha256", file.value.description)
    }
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  init(ledger: String) { self.ledger = ledger }

  /// Reads a document; nil when it is none of this version.
  init?(_ text: [UInt8]) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONNode.parse(text)
    } catch {
      return nil
    }
    guard root["backup"]?.int == Int64(Self.currentVersion), let ledger = root["ledger"]?.string,
      let chains = root["chains"]?.elements, let files = root["files"]?.elements
    else { return nil }
    self.init(ledger: ledger)
    madeAt = root["madeAt"]?.string
    shard = root["shard"]?.string
    for chain in chains {
      guard let folder = chain["folder"]?.string, let segment = chain["segment"]?.int, segment > 0,
        let endByte = chain["endByte"]?.int, endByte > 0,
        let head = chain["head"]?.string.flatMap({ LedgerHead($0) }), Self.isInside(folder)
      else { return nil }
      self.chains[folder] = Mark(
        firstSeq: UInt64(segment), endByte: Int(endByte), head: head)
    }
    for file in files {
      guard let path = file["path"]?.string, Self.isInside(path),
        let digest = file["sha256"]?.string.flatMap({ Digest(hex: $0) })
      else { return nil }
      self.files[path] = digest
    }
  }

  /// Whether a path leads to no place outside the folder to which it belongs.
  private static func isInside(_ path: String) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0 != "." && $0 != ".."
    }
  }
}
