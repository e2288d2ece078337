public import FCM
public import Webhook

extension Configuration {
  /// The app's API: where it is, how to get in, how hard to press it.
  public struct API: Sendable {
    /// The address before the routes' paths, without a slash at its end.
    public let baseURL: String
    /// The zone of its times that carry no offset, an IANA name.
    public let timeZone: String
    /// The service token; nil when there is none.
    public let token: SecretReference?
    /// A file with one credential per user; nil when there is none.
    public let credentials: String?
    /// How many requests a second at most.
    public let requestsPerSecond: Int
    /// How many requests at once at most.
    public let concurrency: Int
    /// How long one request may take.
    public let timeoutSeconds: Int
    /// How late the API may show what has happened.
    public let lagSeconds: Int
    /// Whether route 196 is asked too: a rise of a user's follows is evidence of one.
    public let countsFollows: Bool

    /// Whether there is any way to get in.
    public var hasCredentials: Bool { token != nil || credentials != nil }
  }

  /// Beyond these amounts a second person must want the same.
  public struct Approval: Sendable {
    /// Points that one act by hand gives or takes.
    public let pointsByHand: Int
    /// Exp that one act by hand gives or takes.
    public let expByHand: Int
    /// Cheer coins that one act by hand gives or takes.
    public let coinsByHand: Int
    /// Exp of one credit line.
    public let expPerCredit: Int
  }

  /// When users are looked at.
  public struct Poll: Sendable {
    /// Whether each user is looked at when something is likely to be found, not all day long.
    public let byHabits: Bool
    /// The interval between looks at a user while something is likely to be found, or without ``byHabits`` all day long.
    public let everyMinutes: Int
    /// How long before the end of a user's day the last look of that day comes.
    public let lastCallSeconds: Int
    /// How long after the end of a user's day the first look of the next comes.
    public let firstCallSeconds: Int
  }

  /// What a reading of the inbox proves.
  public struct Inbox: Sendable {
    /// Whether a reading proves only up to the last `completeThrough` line, not up to its own time.
    public let requireWatermark: Bool
    /// How often a service reads the inbox.
    public let everySeconds: Int
  }

  /// When users are warned that their streak breaks with the running day.
  public struct AtRisk: Sendable {
    /// How long before the end of a user's own day; 0 for never.
    public let minutesBefore: Int
    /// The shortest streak worth a warning.
    public let length: Int
    /// Whether users are also warned when it is not known whether something has counted.
    public let warnsUnknown: Bool
  }

  /// When a close is held back because too many streaks would break at once.
  public struct MassBreakGuard: Sendable {
    /// How many times the usual share of streaks may break.
    public let breakFactor: Int
    /// Closes in which fewer streaks than this stand are never held back.
    public let minimumStreaks: Int
  }

  /// Somebody who is told what was granted.
  public struct Sink: Sendable {
    /// How a sink is reached.
    public enum Kind: Sendable {
      /// Signed POSTs of CloudEvents to a URL.
      case webhook(url: String, secret: SecretReference)
      /// Firebase Cloud Messaging with a service account's credentials.
      case fcm(credentials: SecretReference, push: Push)
      /// One CloudEvent per line of a file.
      case file(path: String)
    }

    /// How pushes are made.
    public struct Push: Sendable {
      /// A file with templates; nil for the built-in texts.
      public let templates: String?
      /// When nobody is woken, in each user's zone; nil for never.
      public let quietHours: QuietHours?
      /// Where events of no user go; nil for nowhere.
      public let topic: String?
      /// Events that are older are not pushed.
      public let maxAgeHours: Int
      /// Where messages are sent.
      public let endpoint: WebhookAddress
    }

    /// The sink's name, also that of its folder under `relay/`.
    public let name: String
    /// How it is reached.
    public internal(set) var kind: Kind
    /// What it is sent, and how.
    public var terms = Terms()
  }

  /// The address for probes, metrics and activities.
  public struct Admin: Sendable {
    /// A host name or address, without the brackets of IPv6.
    public let host: String
    /// The TCP port; 0 lets the system choose.
    public let port: UInt16
    /// What callers beyond loopback must bear; nil refuses them all.
    public let token: SecretReference?

    /// Whether only this machine reaches the address.
    public var isLoopback: Bool { LoopbackHost.matches(host) }
  }
}
