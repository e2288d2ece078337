import CivilTime
import Described
import Foundations
import LedgerStore
import NotificationRelay
import Scheduling

/// The open troubles of a service. Each is announced once at its beginning and once at its end, to the sinks that subscribe to
/// operations.
///
/// Open troubles outlive a restart in `state/troubles.json`, as far as the disk allows. A continuing trouble is announced again
/// with the same id; its end is announced by the process that finds it over.
final class Troubles: Sendable {
  /// The kinds of trouble, named as in their event types.
  enum Kind: String, CaseIterable, Sendable {
    /// The API answers no one.
    case outage
    /// The clock cannot be right.
    case clock
    /// The ledger cannot be written.
    case disk
    /// A close waits for an operator; the subject is `ZONE/DAY`.
    case guarded
    /// The API refuses the credentials.
    case credentials
    /// A sink is paused; the subject is its name.
    case sink

    /// The types of the events about its beginning and its end.
    var types: (begins: EventType, ends: EventType) {
      switch self {
      case .outage: (.outageBegan, .outageEnded)
      case .clock: (.clockDistrusted, .clockTrusted)
      case .disk: (.diskFull, .diskWritable)
      case .guarded: (.guardWaiting, .guardPassed)
      case .credentials: (.credentialsExpired, .credentialsAccepted)
      case .sink: (.sinkPaused, .sinkResumed)
      }
    }
  }

  fileprivate struct Trouble: Hashable, Sendable {
    let kind: Kind
    let subject: String
  }

  fileprivate struct Course: Sendable {
    let since: Instant
    let reason: String
  }

  private let ledger: String
  private let path: String
  private let files: any FileSystem
  private let clock: any ServiceClock
  private let open: Lock<[Trouble: Course]>
  private let listener = Lock<(@Sendable (CloudEvent) -> Void)?>(nil)
  private let thread = BlockingThread(named: "rewards.troubles")

  /// Returns the troubles of a service at `directory`, with those that its last run left open. Ignores an unreadable file.
  static func restore(
    _ directory: DataDirectory, ledger: String, clock: any ServiceClock
  ) async -> Troubles {
    let path = "\(directory.state)/troubles.json"
    let kept = try? await BlockingThread(named: "rewards.troubles").run {
      try Kept(json: directory.files.readWhole(path)).troubles
    }
    return Troubles(
      ledger: ledger, path: path, files: directory.files, clock: clock, open: kept ?? [:])
  }

  private init(
    ledger: String, path: String, files: any FileSystem, clock: any ServiceClock,
    open: [Trouble: Course]
  ) {
    self.ledger = ledger
    self.path = path
    self.files = files
    self.clock = clock
    self.open = Lock(open)
  }

  /// Sends each beginning and end from now on to `listener`, and at once the beginnings of open troubles.
  func subscribe(_ listener: @escaping @Sendable (CloudEvent) -> Void) {
    self.listener.withLock { $0 = listener }
    for (trouble, course) in open.withLock({ $0 }) { listener(beginning(of: trouble, course)) }
  }

  /// Returns the subjects of open troubles of a kind.
  func subjects(of kind: Kind) -> [String] {
    open.withLock { $0.keys.filter { $0.kind == kind }.map(\.subject).sorted() }
  }

  /// Notes a trouble, as of `since` or now; announces it if it is new.
  func begin(_ kind: Kind, of subject: String = "", since: Instant? = nil, reason: String) {
    let trouble = Trouble(kind: kind, subject: subject)
    let course = Course(
      since: (since ?? clock.now()).truncatedToMilliseconds, reason: reason)
    let isNew = open.withLock { open in
      guard open[trouble] == nil else { return false }
      open[trouble] = course
      return true
    }
    if isNew { announce(beginning(of: trouble, course)) }
  }

  /// Notes the end of a trouble. If it was open, announces the end and what the trouble hid.
  func end(_ kind: Kind, of subject: String = "", hiding hidden: Hidden? = nil) {
    let trouble = Trouble(kind: kind, subject: subject)
    guard let course = open.withLock({ $0.removeValue(forKey: trouble) }) else { return }
    let now = clock.now().truncatedToMilliseconds
    announce(
      event(
        of: trouble, course, kind.types.ends, at: now,
        Self.ending.text(
          of: (
            trouble, course, seconds: max(0, now.seconds(since: course.since)), hidden: hidden
          ))))
  }

  /// Returns when a trouble began; nil when it is not open.
  func since(_ kind: Kind) -> Instant? {
    open.withLock { $0[Trouble(kind: kind, subject: "")]?.since }
  }

  private func beginning(of trouble: Trouble, _ course: Course) -> CloudEvent {
    event(
      of: trouble, course, trouble.kind.types.begins, at: course.since,
      Self.beginning.text(of: (trouble, course)))
  }

  private func event(
    of trouble: Trouble, _ course: Course, _ type: EventType, at instant: Instant,
    _ data: String
  ) -> CloudEvent {
    let subject = trouble.subject.isEmpty ? "" : "/\(trouble.subject)"
    return CloudEvent(
      id: "\(ledger)/\(type.rawValue.replacing(".", with: "/"))\(subject)/\(course.since)",
      source: "urn:uuid:\(ledger)", type: type, subject: nil, time: instant, data: data)
  }

  /// The numbers of users and user-days that a trouble has hidden.
  typealias Hidden = (users: Int, days: Int)

  private static let beginning = JSONMembers<(trouble: Trouble, course: Course)> {
    $0.optional("of") { $0.trouble.subject.isEmpty ? nil : $0.trouble.subject }
    $0.add("reason", \.course.reason)
    $0.add("since", \.course.since)
  }

  private static let ending = JSONMembers<
    (trouble: Trouble, course: Course, seconds: Int64, hidden: Hidden?)
  > {
    $0.include({ ($0.trouble, $0.course) }, as: beginning)
    $0.add("seconds", \.seconds)
    $0.optional("users", \.hidden?.users)
    $0.optional("days", \.hidden?.days)
  }

  /// The shapes of `data` in events of troubles, by the events' types.
  static let shapes = [
    (types: Kind.allCases.map(\.types.begins), data: beginning.shape),
    (types: Kind.allCases.map(\.types.ends), data: ending.shape),
  ]

  private func announce(_ event: CloudEvent) {
    listener.withLock { $0 }?(event)
    thread.start { [self] in
      // This file is only a cache: a full disk prevents no announcement.
      try? files.replace(path, with: [Kept(open.withLock { $0 }).jsonLine])
    }
  }
}

extension Troubles {
  /// The content of the file.
  fileprivate struct Kept {
    let open: [Entry]

    /// An open trouble; its kind is text, because another version may have more kinds.
    struct Entry {
      let kind: String
      let subject: String
      let since: Instant
      let reason: String
    }

    init(_ open: [Trouble: Course]) {
      self.open = open.sorted {
        ($0.key.kind.rawValue, $0.key.subject) < ($1.key.kind.rawValue, $1.key.subject)
      }.map {
        Entry(
          kind: $0.key.kind.rawValue, subject: $0.key.subject, since: $0.value.since,
          reason: $0.value.reason)
      }
    }

    var troubles: [Trouble: Course] {
      var troubles: [Trouble: Course] = [:]
      for entry in open {
        guard let kind = Kind(rawValue: entry.kind) else { continue }
        troubles[Trouble(kind: kind, subject: entry.subject)] = Course(
          since: entry.since, reason: entry.reason)
      }
      return troubles
    }
  }
}

extension Troubles.Kept: DescribedObject {
  fileprivate init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    open = try coder.field("open", value?.pointee.open)
  }
}

extension Troubles.Kept.Entry: DescribedObject {
  fileprivate init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    kind = try coder.field("kind", value?.pointee.kind)
    subject = try coder.field("of", value?.pointee.subject)
    since = try coder.field("since", value?.pointee.since)
    reason = try coder.field("reason", value?.pointee.reason)
  }
}
