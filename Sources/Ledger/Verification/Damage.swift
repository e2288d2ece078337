/// Something wrong in a ledger's files, with its place.
public struct Damage: Sendable, Equatable, CustomStringConvertible {
  /// The kind of damage.
  public enum Kind: String, Sendable, CaseIterable {
    /// A file whose name is not the sequence number of its first line.
    case segmentName
    /// A line that is not a record.
    case foreignLine
    /// A sequence number that does not follow the previous one.
    case sequence
    /// A recorded time earlier than the one before.
    case timeGoesBack
    /// A seal that does not match its lines or does not follow the previous seal.
    case seal
    /// A key that was already granted.
    case duplicateKey
    /// A first line that is not a genesis, or a genesis elsewhere.
    case genesis
    /// A format newer than this version knows.
    case newerFormat
    /// Lines not committed by any seal, before the end of the ledger.
    case unsealedSegment
    /// Bytes after the last seal: a batch being written, or cut short by a crash.
    case unsealedTail
    /// A head known from outside that is not in the ledger.
    case headMissing
    /// A compressed segment that cannot be decompressed.
    case packing
    /// More damage than is listed.
    case more
  }

  /// The kind of damage.
  public let kind: Kind
  /// The file's name.
  public let segment: String
  /// The line, from 1; 0 for the whole file.
  public let line: Int
  /// The first byte of the line, from 0.
  public let byte: Int
  /// What is wrong, in words for an operator.
  public let what: String

  /// Creates a report of damage.
  public init(kind: Kind, segment: String, line: Int, byte: Int, what: String) {
    self.kind = kind
    self.segment = segment
    self.line = line
    self.byte = byte
    self.what = what
  }

  /// Returns the same damage, `lines` further down.
  public func moved(down lines: Int) -> Damage {
    Damage(kind: kind, segment: segment, line: line + lines, byte: byte, what: what)
  }

  /// The place and the cause on one line.
  public var description: String { "\(segment), line \(line), byte \(byte): \(what)" }
}
