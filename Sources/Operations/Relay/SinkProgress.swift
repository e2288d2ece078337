import AuditReport
import CivilTime
import Configuration
import Ledger
import LedgerStore
import NotificationRelay

/// What a sink was told of grants, by where it stands; for those who explain and audit.
struct SinkProgress: Sendable {
  /// The sink's name.
  let name: String
  /// Why nobody knows where it stands, nor what it was told; nil where that can be read.
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

  /// Every sink.
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

  /// The line after which the first grant may stand that waits.
  var firstUnsettled: UInt64 { progress.firstUnsettled }

  /// Whether the sink is told of a user's grants at all, as far as anybody knows.
  func wantsGrants(of user: String) -> Bool { problem == nil && filter.wantsGrants(of: user) }

  /// Whether the grant at this line is still to be sent; one that was given up is not.
  func isWaiting(_ seq: UInt64, of user: String) -> Bool {
    progress.isWaiting(EventPosition(seq: seq), of: user)
  }

  /// How late events were delivered to each sink; nothing where that cannot be read.
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

  /// The attempts to deliver the grants at these lines, by line, in order. To a file nothing is recorded but where it stands.
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
