public import CivilTime
public import Digests

/// A rules document came into use.
public struct RulesRecord: Sendable, Equatable {
  /// The document's version.
  public var version: String
  /// The first day that it judges.
  public var effectiveFrom: Day
  /// The version that it replaces, closed days included.
  public var corrects: String?
  /// SHA-256 of the document's bytes as loaded.
  public var sha256: Digest
  /// Fingerprint of the draw secret: the first 16 hex digits of its SHA-256.
  public var drawKey: String
  /// The document itself, as JSON without white space.
  public var document: String

  /// The record with these fields.
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
