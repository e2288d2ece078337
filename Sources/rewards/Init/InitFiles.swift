import CheerAPI
import LedgerDatabase

/// A file to write: its path below the folder, its text and permissions.
struct InitFile {
  let path: String
  let text: String
  var mode: UInt32 = 0o644
}

/// The files that a new machine needs: configuration, secrets, jobs, and whatever starts the service there.
struct InitFiles {
  /// The folder for configuration; absolute.
  let folder: String
  /// The data folder, absolute, or the address of a database without its password.
  let data: String
  /// The password of the database; nil when there is none, or when it is kept elsewhere.
  var password: String?
  /// The program's absolute path.
  let program: String
  /// The account of the service.
  let account: String
  /// The name proposed for the group of those who command the service. The account's own group may read its secrets.
  static let operators = "rewards-operators"

  /// Returns all files; `secret` is the draw secret.
  func all(secret: String) -> [InitFile] {
    [
      InitFile(path: "rewards.json", text: configuration),
      InitFile(path: "secrets.env", text: environment(secret: secret), mode: 0o600),
      InitFile(path: "credentials.jsonl", text: Self.credentials, mode: 0o600),
    ] + installed + ShippedJobs.files.map { InitFile(path: "jobs/\($0.name)", text: $0.text) }
  }

  /// The files that root installs elsewhere, so that the account must not be able to change them.
  var installed: [InitFile] {
    [
      InitFile(path: "rewards.service", text: service),
      InitFile(path: "rewards-nightly.service", text: nightlyService),
      InitFile(path: "rewards-nightly.timer", text: nightlyTimer),
      InitFile(path: "rewards.cron", text: cron),
    ]
  }

  var configuration: String {
    """
    // The reward scheduler's configuration. Every key is explained by: rewards help configuration
    {
      "data": "\(data)",                              // the ledger and all that belongs to it
      "users": "./users.jsonl",                       // the roster: {"user": "4711", "timezone": "Asia/Tokyo"}
      "defaultTimeZone": "Asia/Tokyo",
      "rules": [],                                    // none: the app's own; see rewards rules show
      "drawSecret": {"env": "REWARDS_DRAW_SECRET"},   // in secrets.env; the same for ever
      "jobs": "./jobs",
      // "requireActor": true,                        // whoever acts by hand must say --actor NAME
      "api": {
        "baseURL": "https://api.cheer-supports.com/api/v1",
        "token": {"env": "CHEER_API_TOKEN"}           // in secrets.env
        // instead of a token for all users: "credentials": "./credentials.jsonl"
      },
      // Programs that hand in what no route shows, each into its own inbox below the data folder's inbox/, or with a
      // "token" of its own at POST /v1/activity; what they may say, and how much: rewards help inbox
      "sources": {
        "backend": {"kinds": ["login", "comment", "follow", "share"]},
        "shop": {"kinds": ["purchase"], "credits": ["points", "coins", "exp", "items", "boosterDays"]}
      },
      "relay": {
        // "notify": {"kind": "webhook", "url": "https://relay.example/events", "secret": {"file": "./relay-secret"}},
        // The head of each night, for a place that nobody here can write to: rewards help relay
        // "heads": {"kind": "file", "path": "/mnt/elsewhere/heads.jsonl", "events": ["day.closed"]},
        // What users earn, written into the documents from which the app shows it: rewards help relay
        // "store": {"kind": "firestore", "credentials": {"file": "./service-account.json"}},
        "journal": {"kind": "file", "path": "\(DatabaseAddress.isMeant(by: data) ? folder : data)/events.jsonl"}
      },
      // Whoever is in this group gives the service commands, each as a person of their own: rewards help operations
      // "control": {"group": "\(Self.operators)"},
      "admin": {"listen": "127.0.0.1:9464"}
    }

    """
  }

  private func environment(secret: String) -> String {
    """
    # Secrets of the service; readable by its owner only. Keep a copy elsewhere: a ledger keeps the draw secret
    # with which it was begun. Put a value in single quotes if it holds characters other than letters, digits and
    # ._:/+=@- so that systemd and a shell read it alike.
    REWARDS_DRAW_SECRET=\(secret)
    CHEER_API_TOKEN=
    \(password.map { "PGPASSWORD=\(Self.escaped($0))\n" } ?? "")
    """
  }

  /// A credentials file without any credential.
  private static let credentials = """
    // The users' own API credentials, where there is no token for all of them. One user a line, either with a token:
    //   \(CredentialFile.examples[0])
    // or with a login, which the service exchanges for tokens:
    //   \(CredentialFile.examples[1])
    // To use this file, let rewards.json name it as api.credentials, and remove api.token there.

    """

  /// Returns a value as both a shell and systemd read it (systemd.exec(5), `EnvironmentFile`): special characters follow a backslash.
  private static func escaped(_ value: String) -> String {
    value.map { $0.isLetter || $0.isNumber ? "\($0)" : "\\\($0)" }.joined()
  }

  /// The systemd unit of the service.
  var service: String {
    """
    [Unit]
    Description=Reward scheduler
    After=network-online.target
    Wants=network-online.target

    [Service]
    User=\(account)
    WorkingDirectory=\(folder)
    EnvironmentFile=\(folder)/secrets.env
    ExecStart=\(program) serve --config \(folder)/rewards.json --log-level info
    ExecReload=/bin/kill -HUP $MAINPID
    \(runtimeFolder)Restart=always
    # As often as it takes: a database may be up later than the machine.
    RestartSec=5
    # Wrong configuration (78) or a damaged ledger (65) is nothing that another start mends.
    RestartPreventExitStatus=64 65 78

    [Install]
    WantedBy=multi-user.target

    """
  }

  /// Where the control socket of a ledger in a database lies, so that other accounts can trust it; other units may use the folder, too.
  private var runtimeFolder: String {
    DatabaseAddress.isMeant(by: data)
      ? "RuntimeDirectory=rewards\nRuntimeDirectoryPreserve=yes\n" : ""
  }

  /// The systemd unit of the nightly job alone.
  var nightlyService: String {
    """
    [Unit]
    Description=Reward reconciliation of every zone whose day has ended
    After=network-online.target
    Wants=network-online.target

    [Service]
    Type=oneshot
    User=\(account)
    WorkingDirectory=\(folder)
    EnvironmentFile=\(folder)/secrets.env
    ExecStart=\(program) \(nightly)
    # 1: done; something needs attention; the run record says what. 75: another process is at it, or a close waits for
    # other shards; the next call does it. "rewards jobs list" shows a fire that stays due.
    SuccessExitStatus=1 75

    """
  }

  /// The systemd timer of the nightly job.
  var nightlyTimer: String {
    """
    [Unit]
    Description=Reward reconciliation, every quarter of an hour

    [Timer]
    OnCalendar=*:0/15
    Persistent=true

    [Install]
    WantedBy=timers.target

    """
  }

  /// The nightly job for `/etc/cron.d`.
  var cron: String {
    """
    # Put this into /etc/cron.d/rewards. It runs what is due, each fire once; what it says goes to the system's log.
    */15 * * * * \(account) cd \(folder) && set -a && . ./secrets.env && \(program) \(nightly) 2>&1 | logger -t rewards

    """
  }

  private var nightly: String {
    "run \(folder)/jobs/nightly-reconciliation.json --due --config \(folder)/rewards.json"
  }
}
