internal import CivilTime
internal import Digests
public import Files
public import Ledger
internal import StrictJSON

/// Up to where an audit has proved a ledger, and the state there.
///
/// A file of one line of JSON and then the state's bytes; its last field is the SHA-256 of everything else. Whoever finds one
/// that is damaged, or that does not fit the ledger, refuses it: it is made again by an audit of everything.
public struct AuditCheckpoint: Sendable {
  /// The seal up to which everything is proved.
  public let head: LedgerHead
  /// Users whose closed days waited for a backfill then.
  public let waiting: [String]
  /// The state at the seal, as ``Ledger/StateSnapshot`` writes it.
  public let payload: [UInt8]
  let ledger: String
  /// The segments up to the seal, in order.
  let segments: [SegmentProof]

  /// A checkpoint at the head of `reader`, up to which somebody has just proved the ledger. Blocks.
  ///
  /// Nil when the ledger has gone on to another segment since the verification `report`: of that one's last lines nobody has
  /// proved the chain, and the next audit would not look at them again.
  public init?(
    at reader: LedgerReader, verified report: VerificationReport, waiting: [String],
    payload: [UInt8]
  ) throws(LedgerError) {
    do {
      segments = try reader.proofs()
    } catch {
      throw LedgerError(any: error)
    }
    guard segments.count == report.lastSegment + 1 else { return nil }
    head = reader.head
    ledger = reader.ledger
    self.waiting = waiting
    self.payload = payload
  }

  /// The checkpoint of a data folder; nil when there is none. Throws when it is damaged, or of another ledger. Blocks.
  public init?(
    _ directory: DataDirectory, of ledger: String, fileSystem: any FileSystem = WorkingFiles.system
  ) throws(LedgerError) {
    let path = Self.path(directory)
    let bytes: [UInt8]?
    do {
      bytes = try fileSystem.readWholeIfPresent(path)
    } catch {
      throw LedgerError(any: error)
    }
    guard let bytes else { return nil }
    guard let checkpoint = Self(bytes) else { throw Self.refusal(path, "it is damaged") }
    guard checkpoint.ledger == ledger else {
      throw Self.refusal(path, "it is of the ledger \(checkpoint.ledger)")
    }
    self = checkpoint
  }

  /// The head that the checkpoint of a data folder names in its first line, which nobody has held against its seal: cheap, however
  /// long the state behind it. Nil when there is none of `ledger` (of any, with nil), or its first line is no such line. Blocks.
  public static func namedHead(
    _ directory: DataDirectory, of ledger: String?, fileSystem: any FileSystem = WorkingFiles.system
  ) throws -> LedgerHead? {
    let line = try fileSystem.reading(path(directory)) { file -> [UInt8] in
      let size = try fileSystem.size(of: file)
      var line: [UInt8] = []
      while line.count < size, line.last != UInt8(ascii: "\n") {
        let block = try fileSystem.bytes(of: file, in: line.count..<min(size, line.count + 65_536))
        if block.isEmpty { break }
        line += block.prefix(through: block.firstIndex(of: UInt8(ascii: "\n")) ?? block.count - 1)
      }
      return line
    }
    guard let fields = Fields(try JSONNode.parse(line)), fields.form == form,
      ledger == nil || fields.ledger == ledger
    else { return nil }
    return fields.head
  }

  /// Puts the checkpoint into a data folder, in place of an older one. Blocks.
  ///
  /// Whoever only reads the ledger leaves nothing behind that its owner could not replace: then nothing is written.
  public func write(
    to directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system
  ) throws(LedgerError) {
    guard DataDirectory.isOwned(directory.state) else { return }
    do throws(FileError) {
      if try fileSystem.makeFolder(directory.audit) { try fileSystem.syncFolder(directory.state) }
      try fileSystem.createDurably(
        Self.path(directory), in: directory.audit, [header(sealed: true), payload])
    } catch {
      throw LedgerError(error)
    }
  }

  /// Why a checkpoint at `path` is not used.
  public static func refusal(_ path: String, _ why: String) -> LedgerError {
    LedgerError(
      .checkpoint, place: path, cause: "the checkpoint of the last audit cannot be used: \(why)",
      remedy: "run `rewards audit`, which proves everything and leaves a new one")
  }

  /// Where the checkpoint of a data folder lies.
  public static func path(_ directory: DataDirectory) -> String { "\(directory.audit)/checkpoint" }
}

extension AuditCheckpoint {
  private static let form = 1

  /// The checkpoint in a file's bytes; nil when they are damaged.
  private init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    var found: (fields: Fields, seal: Digest)?
    do throws(JSONError) {
      let node = try JSONNode.parse(Array(bytes[..<end]))
      found = Fields(node).flatMap { fields in
        node["sha256"]?.string.flatMap { text in
          Array(text.utf8).withUnsafeBufferPointer { Digest(hex: $0) }
        }.map { (fields, $0) }
      }
    } catch {
      return nil
    }
    guard let found, found.fields.form == Self.form else { return nil }
    head = found.fields.head
    ledger = found.fields.ledger
    waiting = found.fields.waiting
    segments = found.fields.segments
    payload = Array(bytes[(end + 1)...])
    // Its own bytes, and no others that mean the same.
    guard seal == found.seal, header(sealed: true).elementsEqual(bytes[...end]) else { return nil }
  }

  private var seal: Digest {
    var hash = SHA256()
    header(sealed: false).withUnsafeBytes { hash.update($0) }
    payload.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }

  private func header(sealed: Bool) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("audit", Self.form)
    json.member("ledger", ledger)
    json.member("seq", head.seq)
    json.member("hash", head.hash.description)
    json.member("waiting", waiting)
    json.key("segments")
    json.beginArray()
    for segment in segments { segment.write(to: &json) }
    json.endArray()
    if sealed { json.member("sha256", seal.description) }
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private struct Fields {
    let form: Int
    let ledger: String
    let head: LedgerHead
    let waiting: [String]
    let segments: [SegmentProof]

    init?(_ node: JSONNode) {
      guard let form = node["audit"]?.int, let ledger = node["ledger"]?.string,
        let seq = node["seq"]?.int, let hash = node.digest("hash"),
        let waiting = node["waiting"]?.elements, let segments = node["segments"]?.elements
      else { return nil }
      self.form = Int(form)
      self.ledger = ledger
      head = LedgerHead(seq: UInt64(clamping: seq), hash: hash)
      self.waiting = waiting.compactMap(\.string)
      self.segments = segments.compactMap(SegmentProof.init)
      guard self.waiting.count == waiting.count, self.segments.count == segments.count
      else { return nil }
    }
  }
}

extension JSONNode {
  /// The hash under `key`; nil when there is none.
  func digest(_ key: String) -> Digest? {
    self[key]?.string.flatMap { text in
      Array(text.utf8).withUnsafeBufferPointer { Digest(hex: $0) }
    }
  }
}
