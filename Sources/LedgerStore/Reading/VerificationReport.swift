public import Ledger

/// What a verification found.
public struct VerificationReport: Sendable {
  /// All damage, in the order of places; at most ``ChainChecker/damageLimit`` entries for each stretch of a segment.
  public internal(set) var damage: [Damage] = []
  /// How many lines were looked at.
  public internal(set) var records = 0
  /// The last seal's sequence number and hash.
  public internal(set) var head = LedgerHead.origin

  /// Nothing was looked at yet.
  public init() {}

  /// Whether nothing is wrong but, at most, a batch at the end that no seal commits yet.
  public var isIntact: Bool { damage.allSatisfy { $0.kind == .unsealedTail } }

  /// The index of the segment that holds the last seal.
  var lastSegment = 0
  var lastSeal = SealPlace(state: .origin, endByte: 0, lines: 0)
  var sealBefore = SealPlace(state: .origin, endByte: 0, lines: 0)
}
