internal import Ledger

/// Where a verification begins: at a seal that is trusted, or at the ledger's beginning.
struct ChainStart {
  /// The index of the first segment to look at.
  var segment = 0
  /// The trusted seal.
  var place = SealPlace(state: .origin, endByte: 0, lines: 0)
}
