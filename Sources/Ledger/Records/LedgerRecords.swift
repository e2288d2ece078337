public import CivilTime
public import Described
public import Digests

/// The record on the first line of a ledger.
public struct GenesisRecord: Sendable, Equatable {
  /// The number of the format.
  public var format: Int
  /// The ledger's id.
  public var ledger: String
  /// The program that created the ledger.
  public var program: String
  /// Whether the ledger's time is simulated; nil if the line does not say.
  public var simulated: Bool?
  /// The id of the ledger of which this one is a part; nil for one that was not divided. The lines up to the act that divided it are those
  /// of that ledger about the part's users.
  public var partOf: String?

  /// Creates the first record of a ledger.
  public init(
    format: Int, ledger: String, program: String, simulated: Bool? = nil, partOf: String? = nil
  ) {
    self.format = format
    self.ledger = ledger
    self.program = program
    self.simulated = simulated
    self.partOf = partOf
  }
}

extension GenesisRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    format = try coder.field("format", value?.pointee.format)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    program = try coder.field("program", value?.pointee.program)
    simulated = try coder.optional("simulated", value?.pointee.simulated)
    partOf = try coder.optional("partOf", value?.pointee.partOf)
  }
}

/// The record that a rules document came into use.
public struct RulesRecord: Sendable, Equatable {
  /// The document's version.
  public var version: String
  /// The first day it applies to.
  public var effectiveFrom: Day
  /// The version it replaces.
  public var corrects: String?
  /// The SHA-256 of the file as loaded.
  public var sha256: Digest
  /// The fingerprint of the draw secret.
  public var drawKey: String
  /// The version of the built-in rules that hold what the document leaves out; nil for built-in rules themselves, and in ledgers of
  /// 1.0.0.
  public var defaults: String?
  /// The document, as JSON on one line.
  public var document: String
  /// The line of the act behind it, an `operator` record; nil for the first documents of a ledger, and in
  /// lines of earlier versions.
  public var by: UInt64?

  /// Creates the record of a rules document.
  public init(
    version: String, effectiveFrom: Day, corrects: String? = nil, sha256: Digest,
    drawKey: String, defaults: String? = nil, document: String
  ) {
    self.defaults = defaults
    self.version = version
    self.effectiveFrom = effectiveFrom
    self.corrects = corrects
    self.sha256 = sha256
    self.drawKey = drawKey
    self.document = document
  }
}

extension RulesRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    version = try coder.field("version", value?.pointee.version)
    effectiveFrom = try coder.field("effectiveFrom", value?.pointee.effectiveFrom)
    corrects = try coder.optional("corrects", value?.pointee.corrects)
    sha256 = try coder.field("sha256", value?.pointee.sha256)
    drawKey = try coder.field("drawKey", value?.pointee.drawKey)
    defaults = try coder.optional("defaults", value?.pointee.defaults)
    document = try coder.field("document", (value?.pointee.document).map(JSONText.init)).text
    by = try coder.optional("by", value?.pointee.by)
  }
}

/// The record that commits the lines since the previous seal.
public struct SealRecord: Sendable, Equatable {
  /// The number of lines committed.
  public var count: Int
  /// The previous seal's hash.
  public var prev: Digest
  /// The hash over `prev`, the lines, and this line up to its own hash.
  public var hash: Digest

  /// Creates the record of a seal.
  public init(count: Int, prev: Digest, hash: Digest) {
    self.count = count
    self.prev = prev
    self.hash = hash
  }
}

extension SealRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    count = try coder.field("count", value?.pointee.count)
    prev = try coder.field("prev", value?.pointee.prev)
    hash = try coder.field("hash", value?.pointee.hash)
  }
}
