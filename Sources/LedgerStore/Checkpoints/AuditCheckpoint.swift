internal import Described
internal import Digests
internal import Foundations
package import Ledger

/// The head up to which an audit has proved a ledger, with the state there.
///
/// The file is one line of JSON followed by the state's bytes; the line's last field is the SHA-256 of everything else. A
/// checkpoint that is damaged or does not fit the ledger is refused; a full audit makes a new one.
package struct AuditCheckpoint: Sendable {
  /// The seal up to which everything is proved.
  package let head: LedgerHead
  /// Users whose closed days were waiting for a backfill at that time.
  package let waiting: [String]
  /// The state at the seal, as written by ``Ledger/StateSnapshot``.
  package let payload: [UInt8]
  let ledger: String
  /// The segments up to the seal, in order.
  let segments: [SegmentProof]

  /// Creates a checkpoint at the head of `reader`, up to which the ledger has just been proved. Blocks.
  ///
  /// Nil if `reader` has a segment that the verification `report` has not reached: its chain is unproved, and the next audit would
  /// not check it again.
  package init?(
    at reader: LedgerReader, verified report: VerificationReport, waiting: [String],
    payload: [UInt8]
  ) throws(LedgerError) {
    do {
      segments = try reader.proofs()
    } catch {
      throw LedgerError(any: error)
    }
    guard segments.count <= report.lastSegment + 1 else { return nil }
    head = reader.head
    ledger = reader.ledger
    self.waiting = waiting
    self.payload = payload
  }

  /// Reads the checkpoint of a data folder; nil if there is none. Throws if it is damaged or belongs to another ledger. Blocks.
  package init?(
    _ directory: DataDirectory, of ledger: String
  ) throws(LedgerError) {
    let path = Self.path(directory)
    let bytes: [UInt8]?
    do {
      bytes = try directory.files.readWholeIfPresent(path)
    } catch {
      throw LedgerError(any: error)
    }
    guard let bytes else { return nil }
    guard let checkpoint = Self(bytes) else { throw Self.refusal(path, "it is damaged") }
    guard checkpoint.ledger == ledger else {
      throw Self.refusal(path, "it belongs to the ledger \(checkpoint.ledger)")
    }
    self = checkpoint
  }

  /// Returns the head named in the first line of a data folder's checkpoint, not checked against its seal. Blocks.
  ///
  /// Cheap, however long the state behind it. Nil if there is no checkpoint of `ledger` (of any ledger, with nil), or its first
  /// line is invalid.
  package static func namedHead(
    _ directory: DataDirectory, of ledger: String?
  ) throws -> LedgerHead? {
    let fileSystem = directory.files
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

  /// Writes the checkpoint into a data folder, replacing an older one. Blocks.
  ///
  /// Writes nothing if this account does not own the folder: readers leave no file behind that the owner could not replace.
  package func write(
    to directory: DataDirectory
  ) throws(LedgerError) {
    let fileSystem = directory.files
    guard fileSystem.isOwned(directory.state) else { return }
    do throws(FileError) {
      if try fileSystem.makeFolder(directory.audit) { try fileSystem.syncFolder(directory.state) }
      try fileSystem.createDurably(
        Self.path(directory), in: directory.audit, [header(sealed: true), payload])
    } catch {
      throw LedgerError(error)
    }
  }

  /// Returns the error for a checkpoint at `path` that is not used.
  package static func refusal(_ path: String, _ why: String) -> LedgerError {
    LedgerError(
      .checkpoint, place: path, cause: "the checkpoint of the last audit cannot be used: \(why)",
      remedy: "run `rewards audit`, which checks everything and writes a new one")
  }

  /// Returns the path of a data folder's checkpoint.
  package static func path(_ directory: DataDirectory) -> String { "\(directory.audit)/checkpoint" }
}

extension AuditCheckpoint {
  private static let form = 1

  /// Parses a checkpoint from a file's bytes; nil if they are damaged.
  private init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let header = try? Header(json: Array(bytes[..<end])), header.form == Self.form
    else { return nil }
    head = header.head
    ledger = header.ledger
    waiting = header.waiting
    segments = header.segments
    payload = Array(bytes[(end + 1)...])
    // Accepts only the exact bytes that it would write itself.
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
    /// Nil while it is being computed.
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
