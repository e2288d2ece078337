internal import Described
internal import Digests
public import Files
public import Ledger

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
    guard let header = try? Header(json: line), header.form == form,
      ledger == nil || header.ledger == ledger
    else { return nil }
    return header.head
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
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let header = try? Header(json: Array(bytes[..<end])), header.form == Self.form
    else { return nil }
    head = header.head
    ledger = header.ledger
    waiting = header.waiting
    segments = header.segments
    payload = Array(bytes[(end + 1)...])
    // Its own bytes, and no others that mean the same.
    guard seal == header.seal, self.header(sealed: true).elementsEqual(bytes[...end])
    else { return nil }
  }

  private var seal: Digest {
    var hash = SHA256()
    header(sealed: false).withUnsafeBytes { hash.update($0) }
    payload.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }

  private func header(sealed: Bool) -> [UInt8] {
    Header(
      form: Self.form, ledger: ledger, head: head, waiting: waiting, segments: segments,
      seal: sealed ? seal : nil
    ).jsonLine
  }

  /// The file's first line.
  fileprivate struct Header {
    let form: Int
    let ledger: String
    let head: LedgerHead
    let waiting: [String]
    let segments: [SegmentProof]
    /// Nil where it is computed.
    let seal: Digest?
  }
}

extension AuditCheckpoint.Header: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    form = try coder.field("audit", value?.pointee.form)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    head = try LedgerHead(&coder, value?.pointer(to: \.head))
    waiting = try coder.field("waiting", value?.pointee.waiting)
    segments = try coder.field("segments", value?.pointee.segments)
    seal = try coder.optional("sha256", value?.pointee.seal)
  }
}
