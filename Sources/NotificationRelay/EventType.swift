/// A type of event, by its name without the prefix and the suffix that all share.
package enum EventType: String, CaseIterable, Sendable {
  // Made from records.
  case rewardGranted = "reward.granted"
  case rewardReversed = "reward.reversed"
  case streakExtended = "streak.extended"
  case streakBroken = "streak.broken"
  case streakHeld = "streak.held"
  case streakRepaired = "streak.repaired"
  case streakAtRisk = "streak.at-risk"
  case levelReached = "level.reached"
  case backfillSummary = "backfill.summary"
  case dayClosed = "day.closed"
  /// What operators tell everybody.
  case broadcast
  case userForgotten = "user.forgotten"
  // A user's whole state.
  case accountChanged = "account.changed"
  // About the service itself.
  case jobFailed = "operations.job-failed"
  case jobMissed = "operations.job-missed"
  case auditFound = "operations.audit-found"
  case outageBegan = "operations.outage-began"
  case outageEnded = "operations.outage-ended"
  case clockDistrusted = "operations.clock-distrusted"
  case clockTrusted = "operations.clock-trusted"
  case diskFull = "operations.disk-full"
  case diskWritable = "operations.disk-writable"
  case guardWaiting = "operations.guard-waiting"
  case guardPassed = "operations.guard-passed"
  case credentialsExpired = "operations.credentials-expired"
  case credentialsAccepted = "operations.credentials-accepted"
  case sinkPaused = "operations.sink-paused"
  case sinkResumed = "operations.sink-resumed"
  /// A test, which an operator sends to one sink.
  case relayTest = "relay.test"

  /// A group of types that a sink may receive as a whole.
  package enum Group: String, CaseIterable, Sendable {
    /// Made from records.
    case rewards
    /// A user's whole state.
    case account
    /// About the service itself.
    case operations
  }

  /// The group of the type; nil for a test.
  package var group: Group? {
    switch self {
    case .rewardGranted, .rewardReversed, .streakExtended, .streakBroken, .streakHeld,
      .streakRepaired, .streakAtRisk, .levelReached, .backfillSummary, .dayClosed, .broadcast,
      .userForgotten:
      .rewards
    case .accountChanged: .account
    case .jobFailed, .jobMissed, .auditFound, .outageBegan, .outageEnded, .clockDistrusted,
      .clockTrusted, .diskFull, .diskWritable, .guardWaiting, .guardPassed, .credentialsExpired,
      .credentialsAccepted, .sinkPaused, .sinkResumed:
      .operations
    case .relayTest: nil
    }
  }

  /// The type in an event, versioned.
  package var fullName: String { "com.cheer-supports.\(rawValue).v1" }
}
