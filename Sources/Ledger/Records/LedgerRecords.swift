public import CivilTime
public import Digests
internal import StrictJSON

/// The first line of a ledger.
public struct GenesisRecord: Sendable, Equatable {
  /// The format's number.
  public var format = 1
  /// The ledger's id.
  public var ledger = ""
  /// The program that began it.
  public var program = ""
  /// Whether the ledger's time is simulated; nil where the line does not tell.
  public var simulated: Bool?

  init() {}

  /// The record of a beginning.
  public init(format: Int, ledger: String, program: String, simulated: Bool? = nil) {
    self.format = format
    self.ledger = ledger
    self.program = program
    self.simulated = simulated
  }
}

extension GenesisRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("format", &format)
    try coder.field("ledger", &ledger)
    try coder.field("program", &program)
    try coder.field("simulated", &simulated)
  }
}

/// A rules document came into use.
public struct RulesRecord: Sendable, Equatable {
  /// The document's version.
  public var version = ""
  /// The first day that it judges.
  public var effectiveFrom = Day(number: 0)
  /// The version that it replaces.
  public var corrects: String?
  /// SHA-256 of the file as it was loaded.
  public var sha256 = Digest.zero
  /// The fingerprint of the draw secret.
  public var drawKey = ""
  /// The document, as JSON on one line.
  public var document = "{}"

  init() {}

  /// The record of a document.
  public init(
    version: String, effectiveFrom: Day, corrects: String? = nil, sha256: Digest,
    drawKey: String, document: String
  ) {
    self.version = version
    self.effectiveFrom = effectiveFrom
    self.corrects = corrects
    self.sha256 = sha256
    self.drawKey = drawKey
    self.document = document
  }
}

extension RulesRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var document = JSONText(text: document)
    try coder.field("version", &version)
    try coder.field("effectiveFrom", &effectiveFrom)
    try coder.field("corrects", &corrects)
    try coder.field("sha256", &sha256)
    try coder.field("drawKey", &drawKey)
    try coder.field("document", &document)
    self.document = document.text
  }
}

/// Commits the lines since the previous seal.
public struct SealRecord: Sendable, Equatable {
  /// How many lines.
  public var count = 0
  /// The previous seal's hash.
  public var prev = Digest.zero
  /// The hash over `prev`, the lines and this one up to its own hash.
  public var hash = Digest.zero

  init() {}

  /// The record of a seal.
  public init(count: Int, prev: Digest, hash: Digest) {
    self.count = count
    self.prev = prev
    self.hash = hash
  }
}

extension SealRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("count", &count)
    try coder.field("prev", &prev)
    try coder.field("hash", &hash)
  }
}
