extension Configuration {
  /// Settings for the app's API: its address, its credentials and the load that is allowed.
  package struct API: Sendable {
    /// The address that precedes the routes' paths, without a trailing slash.
    package let baseURL: String
    /// The zone of API times that carry no offset, as an IANA name.
    package let timeZone: String
    /// The service token; nil when there is none.
    package let token: SecretReference?
    /// A file with one credential per user; nil when there is none.
    package let credentials: String?
    /// The maximum number of requests per second.
    package let requestsPerSecond: Int
    /// The maximum number of concurrent requests.
    package let concurrency: Int
    /// The timeout of one request.
    package let timeoutSeconds: Int
    /// The longest delay before the API shows something that happened.
    package let lagSeconds: Int
    /// Whether route 196 is polled too: a rise in a user's follows is evidence of one.
    package let countsFollows: Bool

    /// Whether a token or a credential file is configured.
    package var hasCredentials: Bool { token != nil || credentials != nil }
  }

  /// When users are polled.
  package struct Poll: Sendable {
    /// Whether each user is polled only when activity is likely, not all day long.
    package let byHabits: Bool
    /// The interval between polls of a user while activity is likely, or all day long without ``byHabits``.
    package let everyMinutes: Int
    /// How long before the end of a user's day its last poll is made.
    package let lastCallSeconds: Int
    /// How long after the end of a user's day the first poll of the next day is made.
    package let firstCallSeconds: Int
  }

  /// Settings for reading the inbox.
  package struct Inbox: Sendable {
    /// Whether reading the inbox is complete evidence only up to the last `completeThrough` line, not up to the time of
    /// reading.
    package let requireWatermark: Bool
    /// How often a service reads the inbox.
    package let everySeconds: Int
  }

  /// When users are warned that their streak would break at the end of the current day.
  package struct AtRisk: Sendable {
    /// How long before the end of the user's day the warning is sent; 0 for never.
    package let minutesBefore: Int
    /// The shortest streak worth a warning.
    package let length: Int
    /// Whether users are also warned when it is unknown whether today counts.
    package let warnsUnknown: Bool
  }

  /// When a close is held back because too many streaks would break at once.
  package struct MassBreakLimits: Sendable {
    /// The multiple of the usual share of streaks that may break.
    package let breakFactor: Int
    /// The number of standing streaks below which a close is never held back.
    package let minimumStreaks: Int
  }

  /// Who may give commands to a running service.
  package struct Control: Sendable {
    /// The group whose members may use the service's control socket; nil for the service's own account and root only.
    package let group: String?
  }

  /// The listening address for probes, metrics and activities.
  package struct Admin: Sendable {
    /// A host name or address, without the brackets of IPv6.
    package let host: String
    /// The TCP port; with 0 the system chooses.
    package let port: UInt16
    /// The token that callers from other machines must send; nil refuses them all.
    package let token: SecretReference?

    /// Whether the address can be reached only from this machine.
    package var isLoopback: Bool { LoopbackHost.matches(host) }
  }
}
