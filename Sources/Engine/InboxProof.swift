import CivilTime
import Evidence
import Ledger

/// What the silence of the inbox proves about one user's open days.
struct InboxProof {
  /// The first instant that no reading covers completely.
  let through: Instant
  /// When the user was not in the roster, and lines about the user were refused.
  let absences: [Absence]

  /// Returns the parts of a window in which an activity of `kind` may have happened unseen.
  func gaps(in window: DayWindow, of kind: ActivityKind) -> [Gap] {
    if absences.isEmpty, window.end <= through { return [] }
    var proved = Coverage()
    var presentFrom = Instant.earliest
    for absence in absences {
      proved.cover(from: presentFrom, to: min(absence.from, through))
      presentFrom = absence.to
    }
    proved.cover(from: presentFrom, to: through)
    return proved.gaps(from: window.start, to: window.end).map { gap in
      Gap(kind: kind, from: gap.from, to: gap.to, cause: cause(from: gap.from))
    }
  }

  /// Returns why the inbox proves nothing from `instant` on.
  private func cause(from instant: Instant) -> String {
    guard let absence = absences.last(where: { $0.from <= instant && instant < $0.to })
    else { return Gap.notPolled }
    return absence.from == .earliest ? Gap.notKnownYet : "user not in the roster"
  }
}
