/// Something in a ledger's files that must not be there, with its place.
public struct Damage: Sendable, Equatable, CustomStringConvertible {
  /// The kinds of damage.
  public enum Kind: String, Sendable, CaseIterable {
    /// A file whose name is not the sequence number of its first line.
    case segmentName
    /// A line that is no record.
    case foreignLine
    /// A sequence number that is not one more than the one before.
    case sequence
    /// A recorded time before the one above it.
    case timeGoesBack
    /// A seal that does not match its lines or does not follow the seal before it.
    case seal
    /// A key that was granted before.
    case duplicateKey
    /// A first line that is no genesis, or one elsewhere.
    case genesis
    /// A format that this version does not know.
    case newerFormat
    /// Lines that no seal commits, before the end of the ledger.
    case unsealedSegment
    /// Bytes after the last seal: a batch that is being written, or that a crash cut short.
    case unsealedTail
    /// A head known from outside that the ledger does not hold.
    case headMissing
    /// A packed segment that cannot be unpacked.
    case packing
    /// More damage than is listed.
    case more
  }

  /// What kind.
  public let kind: Kind
  /// The file's name.
  public let segment: String
  /// The line, from 1; 0 for the file as a whole.
  public let line: Int
  /// The first byte of the line, from 0.
  public let byte: Int
  /// What is wrong, in words for an operator.
  public let what: String

  /// Damage at a place.
  public init(kind: Kind, segment: String, line: Int, byte: Int, what: String) {
    self.kind = kind
    self.segment = segment
    self.line = line
    self.byte = byte
    self.what = what
  }

  /// Returns the same, `lines` further down.
  public func moved(down lines: Int) -> Damage {
    Damage(kind: kind, segment: segment, line: line + lines, byte: byte, what: what)
  }

  /// Place and cause, on one line.
  public var description: String { "\(segment), line \(line), byte \(byte): \(what)" }
}
