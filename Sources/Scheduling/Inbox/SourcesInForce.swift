package import Ledger

/// What the ledger lets sources hand in, whatever the configuration says.
extension LedgerState {
  /// Returns whether a source may say in lines all that `source` says it may.
  package func allows(_ source: InboxSource) -> Bool {
    !source.saysMore(than: sources?.named(source.name))
  }

  /// Returns who hands in lines with what the ledger lets it say, and its brakes; a source that the ledger does not know may say nothing.
  package func inForce(_ source: InboxSource) -> InboxSource {
    guard let name = source.name else { return .hand(handLimits) }
    if let known = sources?.named(name) { return known }
    var mute = source
    (mute.kinds, mute.credits) = ([], [])
    return mute
  }
}
