import Digests

/// The files of a place to try things in: three users in three zones, a simulated API and sinks, all on this machine.
struct TryFiles {
  /// The folder; absolute.
  let folder: String

  /// Returns all files; each secret is made of bytes from `random`.
  func all(random: (_ count: Int) -> [UInt8]) -> [InitFile] {
    [
      InitFile(path: "rewards.json", text: Self.configuration),
      InitFile(path: "past.json", text: Self.pastConfiguration),
      InitFile(path: "users.jsonl", text: Self.roster),
      InitFile(path: "world.jsonl", text: Self.world),
      InitFile(path: "draw-secret", text: Base64.text(random(32)) + "\n", mode: 0o600),
      InitFile(path: "api-token", text: Base64.text(random(24)) + "\n", mode: 0o600),
      InitFile(path: "relay-secret", text: "whsec_\(Base64.text(random(32)))\n", mode: 0o600),
    ] + ShippedJobs.files.map { InitFile(path: "jobs/\($0.name)", text: $0.text) }
  }

  private static let configuration = """
    // A place to try the reward scheduler in: rewards help tutorial leads through it.
    {
      \(common)
      "data": "./data",
      "poll": {"plan": "interval", "everyMinutes": 1},
      "inbox": {"everySeconds": 1},
      "relay": {
        "journal": {"kind": "file", "path": "./events.jsonl"},
        // rewards try-api receives these events too, and prints them
        "notify": {"kind": "webhook", "url": "http://127.0.0.1:8603/events", "secret": {"file": "./relay-secret"}}
      },
      "admin": {"listen": "127.0.0.1:8604"}
    }

    """

  /// The same without sinks and with a ledger of its own, for commands that say with --now what time it is.
  private static let pastConfiguration = """
    // For commands with --now, which say what time it is: a ledger in simulated time, without sinks.
    {
      \(common)
      "data": "./past"
    }

    """

  private static let common = """
    "users": "./users.jsonl",
      "drawSecret": {"file": "./draw-secret"},
      "jobs": "./jobs",
      "api": {
        "baseURL": "http://127.0.0.1:8603/api/v1",      // rewards try-api listens here
        "token": {"file": "./api-token"}
      },
    """

  private static let roster = """
    {"user": "aiko", "timezone": "Asia/Tokyo"}
    {"user": "ben", "timezone": "Europe/Berlin"}
    {"user": "carla", "timezone": "America/Sao_Paulo"}

    """

  private static let world = """
    // What the simulated API shows. Each line says what a user did; it counts from the next poll on:
    //   {"user": "aiko", "kind": "gift", "at": "2026-03-02T20:15:00+09:00"}
    //   {"user": "ben", "kind": "stream", "at": "2026-03-02T19:00:00+01:00", "until": "2026-03-02T20:30:00+01:00"}
    //   {"user": "carla", "kind": "watch", "at": "2026-03-02T21:00:00-03:00"}
    // Streams and watched streams last until "until"; without it they go on. No route shows logins: rewards ingest takes them.

    """
}
