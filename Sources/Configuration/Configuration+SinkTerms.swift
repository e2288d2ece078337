package import NotificationRelay
internal import StrictJSON

extension Configuration.Sink {
  /// Which events a sink receives, and how much load it is given.
  package struct Terms: Sendable {
    /// The events that are sent.
    package var events = EventFilter.rewards
    /// The minimum time between two account states of the same user.
    package var accountEverySeconds = 10
    /// The maximum number of concurrent requests.
    package var concurrency = 64
    /// The timeout of a receiver's answer.
    package var timeoutSeconds = 15
    /// How many days of delivery attempts are kept, besides what is still pending.
    package var keepDays = 30

    package init() {}

    init(_ section: SettingsSection, kind: Configuration.Sink.Kind) {
      if case .firestore = kind {
        events = .accounts
      } else if section.has("events") {
        switch EventFilter.parse(section.texts("events", among: EventFilter.UnknownName.known)) {
        case .success(let filter): events = filter
        case .failure(let unknown):
          let known = EventFilter.UnknownName.known
          let hint = NearestName.hint(for: unknown.name, among: known)
          section.note(
            "events",
            "\"\(unknown.name)\" is not a type or group of events\(hint.isEmpty ? "; expected one of \(known.joined(separator: ", "))" : hint)"
          )
        }
      }
      if section.has("users") {
        events.usersPercent = section.number("users", default: 100, in: 1...100)
      }
      if events.wantsAccounts || section.sheet.isDescribing {
        accountEverySeconds = section.number("everySeconds", default: 10, in: 0...86_400)
      }
      if section.has("keepDays") {
        keepDays = section.number("keepDays", default: 30, in: 1...3_650)
      }
      // A sink without a secret is on this machine.
      if kind.secret == nil { return }
      if kind.name != .firestore, section.has("concurrency") {
        concurrency = section.number("concurrency", default: 64, in: 1...1_024)
      }
      if section.has("timeoutSeconds") {
        timeoutSeconds = section.number("timeoutSeconds", default: 15, in: 1...300)
      }
    }
  }
}
