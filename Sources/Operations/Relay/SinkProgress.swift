import AuditPage
import CivilTime
import Configuration
import Ledger
import LedgerStore
import NotificationRelay

/// The grants sent to a sink, derived from its progress, for explanations and audits.
struct SinkProgress: Sendable {
  /// The sink's name.
  let name: String
  /// The reason its progress cannot be read; nil when it can.
  let problem: String?
  private let filter: EventFilter
  private let progress: RelayProgress

  init(
    name: String, filter: EventFilter = .rewards, progress: RelayProgress, problem: String? = nil
  ) {
    self.name = name
    self.problem = problem
    self.filter = filter
    self.progress = progress
  }

  /// Returns the progress of every sink.
  static func all(_ configuration: Configuration) -> [SinkProgress] {
    let directory = configuration.directory
    return configuration.relay.map { sink in
      let filter = sink.terms.events
      do {
        return SinkProgress(
          name: sink.name, filter: filter,
          progress: try SinkFolder(sink.name, in: directory).progress())
      } catch {
        return SinkProgress(
          name: sink.name, filter: filter, progress: RelayProgress(), problem: "\(error)")
      }
    }
  }

  /// The line after which the first waiting grant may be.
  var firstUnsettled: UInt64 { progress.firstUnsettled }

  /// Whether the sink receives a user's grants at all; false when its progress cannot be read.
  func wantsGrants(of user: String) -> Bool { problem == nil && filter.wantsGrants(of: user) }

  /// Whether the grant at this line is still to be sent; a dead letter is not.
  func isWaiting(_ seq: UInt64, of user: String) -> Bool {
    progress.isWaiting(EventPosition(seq: seq), in: Lane(user: user))
  }

  /// Returns the delivery delays of each sink; empty where they cannot be read.
  static func delays(_ configuration: Configuration) -> [String: AuditFigures.Delays] {
    let directory = configuration.directory
    var all: [String: AuditFigures.Delays] = [:]
    for sink in configuration.relay {
      var delays = AuditFigures.Delays()
      let isRead: Void? = try? SinkFolder(sink.name, in: directory).eachAttempt {
        if let seconds = $0.attempt.delaySeconds { delays.add(seconds: seconds) }
      }
      all[sink.name] = isRead == nil ? .init() : delays
    }
    return all
  }

  /// Returns the attempts to deliver the grants at these lines, by line, in order. For a file only the progress is recorded.
  func attempts(
    at lines: Set<UInt64>, in directory: DataDirectory
  ) throws -> [UInt64: [RecordedAttempt]] {
    var found: [UInt64: [RecordedAttempt]] = [:]
    try SinkFolder(name, in: directory).eachAttempt { recorded in
      let position = recorded.attempt.position
      if position.index == 0, lines.contains(position.seq) {
        found[position.seq, default: []].append(recorded)
      }
    }
    return found
  }
}
