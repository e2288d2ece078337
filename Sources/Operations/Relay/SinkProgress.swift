import AuditReport
import CivilTime
import Configuration
import Ledger
import LedgerStore
import NotificationRelay

/// What a sink was told of grants, by its log; for those who explain and audit.
struct SinkProgress: Sendable {
  /// The sink's name.
  let name: String
  /// Why its log cannot be read: then nobody knows what it was told; nil where it can.
  let problem: String?
  private let filter: EventFilter
  private let progress: RelayProgress
  /// The grants that its logs say are settled, and after which line they say so of all; nil where that is not recorded.
  private var settled: (lines: LineSet, after: UInt64)?

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
    let directory = DataDirectory(configuration.data)
    return configuration.relay.map { sink in
      let filter = sink.terms.events
      do {
        return SinkProgress(
          name: sink.name, filter: filter,
          progress: try RelayLogReader(sink.name, in: directory).progress())
      } catch {
        return SinkProgress(
          name: sink.name, filter: filter, progress: RelayProgress(), problem: "\(error)")
      }
    }
  }

  /// The line after which the first grant may stand that waits.
  var firstUnsettled: UInt64 { progress.firstUnsettled }

  /// Whether the sink is told of a user's grants at all, as far as its log can be read.
  func wantsGrants(of user: String) -> Bool { problem == nil && filter.wantsGrants(of: user) }

  /// Whether the grant at this line is still to be sent; one that was given up is not.
  func isWaiting(_ seq: UInt64, of user: String) -> Bool {
    progress.isWaiting(EventPosition(seq: seq), of: user)
  }

  /// The same, with what the logs say of each grant.
  static func allWithGrants(_ configuration: Configuration) throws -> [SinkProgress] {
    let directory = DataDirectory(configuration.data)
    return try zip(all(configuration), configuration.relay).map { progress, sink in
      var progress = progress
      // To a file nothing is recorded but the cursor.
      if case .file = sink.kind { return progress }
      guard progress.problem == nil, let filter = progress.progress.filter,
        filter.events == sink.terms.events.description
      else { return progress }
      let (lines, after) = try RelayLogReader(sink.name, in: directory).settledGrants()
      progress.settled = (lines, max(after, filter.after))
      return progress
    }
  }

  /// Whether a grant at this line, which does not wait, was passed over: neither delivered nor given up. Of others than those that the
  /// present filter has let through nobody knows.
  func isPassedOver(_ seq: UInt64, _ grant: GrantRecord) -> Bool {
    guard let settled, seq > settled.after, EventMapping.tells(of: grant) else { return false }
    return !settled.lines.contains(seq)
  }

  /// How late events were delivered to each sink; nothing where a log cannot be read.
  static func delays(_ configuration: Configuration) -> [String: AuditFigures.Delays] {
    let directory = DataDirectory(configuration.data)
    var all: [String: AuditFigures.Delays] = [:]
    for sink in configuration.relay {
      var delays = AuditFigures.Delays()
      let isRead: Void? = try? RelayLogReader(sink.name, in: directory).eachDelay {
        delays.add(seconds: $0)
      }
      all[sink.name] = isRead == nil ? .init() : delays
    }
    return all
  }

  /// The attempts to deliver the grants at these lines, by line, in order. To a file nothing is recorded but the cursor.
  func attempts(
    at lines: Set<UInt64>, in directory: DataDirectory
  ) throws -> [UInt64: [(at: Instant, attempt: DeliveryAttempt)]] {
    var found: [UInt64: [(at: Instant, attempt: DeliveryAttempt)]] = [:]
    try RelayLogReader(name, in: directory).eachAttempt(at: lines) { at, attempt in
      guard attempt.position.index == 0 else { return }
      found[attempt.position.seq, default: []].append((at, attempt))
    }
    return found
  }
}
