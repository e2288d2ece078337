public import CivilTime
import StrictJSON

/// Follows a log's records: what they come to, and where it stood when the log began to go on for another.
struct RelayFold {
  /// What the records so far come to.
  private(set) var progress: RelayProgress
  private var text: [String] = []

  init(_ progress: RelayProgress = RelayProgress()) { self.progress = progress }

  /// Takes the next record in; throws when what the log begins with cannot be read.
  mutating func apply(_ record: RelayRecord, at: Instant) throws(JSONError) {
    guard case .base(let part, let count, let piece) = record else {
      return progress.apply(record, at: at)
    }
    if part == 1 { text = [] }
    text.append(piece)
    if part == count { progress = try RelayCache(text: text.joined()).progress }
  }
}

/// Follows what was given up and not asked for again.
public struct DeadLetters: Sendable {
  /// An event that was given up.
  public struct Letter: Sendable, Equatable {
    /// The last attempt.
    public let attempt: DeliveryAttempt
    /// When that was.
    public let at: Instant
  }

  private var open: [EventPosition: Letter] = [:]

  /// Nothing was given up.
  public init() {}

  /// In the order in which they were given up.
  public var letters: [Letter] {
    open.values.sorted { ($0.at, $0.attempt.position) < ($1.at, $1.attempt.position) }
  }

  /// Takes the next record of a log in.
  public mutating func apply(_ record: RelayRecord, at: Instant) {
    switch record {
    case .attempt(let attempt) where attempt.outcome == .dead && attempt.lane.kind != .notice:
      open[attempt.position] = Letter(attempt: attempt, at: at)
    case .dead(let attempt, let since): open[attempt.position] = Letter(attempt: attempt, at: since)
    case .replay(_, let positions, _, _): for position in positions { open[position] = nil }
    default: break
    }
  }
}

extension RelayRecord {
  /// So many characters of a base stand on a line: no line may become longer than a ledger's.
  private static let charactersPerLine = 8_192

  /// What a log begins with that goes on where another one has come to `cache`.
  static func beginning(after cache: RelayCache, _ dead: [DeadLetters.Letter]) -> [RelayRecord] {
    let text = Array(cache.text.unicodeScalars)
    let starts = Array(stride(from: 0, to: text.count, by: charactersPerLine))
    let base = starts.enumerated().map { number, start in
      var piece = String.UnicodeScalarView()
      piece.append(contentsOf: text[start..<min(text.count, start + charactersPerLine)])
      return RelayRecord.base(part: number + 1, of: starts.count, text: String(piece))
    }
    return base + dead.map { .dead($0.attempt, since: $0.at) }
  }
}
