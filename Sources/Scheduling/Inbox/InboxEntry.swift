package import CivilTime
package import Evidence
package import Ledger
import RewardRules

/// One valid line of the inbox.
package enum InboxEntry: Sendable, Equatable {
  /// Something a user did.
  case activity(user: String, kind: ActivityKind, at: Instant)
  /// What a user received or spent elsewhere.
  case credit(CreditRecord)
  /// Every activity before this instant has been handed over.
  case completeThrough(Instant)

  /// When it happened; nil for a `completeThrough` line.
  package var instant: Instant? {
    switch self {
    case .activity(_, _, let at): at
    case .credit(let record): record.credit.effective
    case .completeThrough: nil
    }
  }

  /// The user it is about; nil for all.
  package var user: String? {
    switch self {
    case .activity(let user, _, _): user
    case .credit(let record): record.user
    case .completeThrough: nil
    }
  }
}

/// A line of the inbox with its line number.
package struct InboxLine: Sendable, Equatable {
  /// The line number within the file, from 1.
  package let number: Int
  /// The content of the line.
  package let entry: InboxEntry

  package init(number: Int, entry: InboxEntry) {
    self.number = number
    self.entry = entry
  }
}

/// A line of the inbox that was rejected.
package struct RejectedLine: Sendable, Equatable {
  /// The line number within the file, from 1.
  package let number: Int
  /// The cause and the remedy.
  package let reason: String

  package init(number: Int, reason: String) {
    self.number = number
    self.reason = reason
  }
}
