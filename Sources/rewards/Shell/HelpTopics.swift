/// Reference texts that the help of a group of commands ends with.
enum HelpTopics {
  /// The text behind the overview of `group`; empty for most.
  static func text(of group: String) -> String {
    if group == "relay" { return relay }
    guard let page = ReferencePage.allCases.first(where: { $0.name == group }) else { return "" }
    return "\n" + MarkdownText.text(of: page.page)
  }

  private static let relay = """

    Setting up a webhook:
      1. Make a secret, readable by its owner only. The receiver gets the same one:
           (umask 077; (printf whsec_; head -c 32 /dev/urandom | base64 -w0) > relay-secret)
      2. Name the sink in rewards.json:
           "relay": {"notify": {"kind": "webhook", "url": "https://relay.example/events",
                                "secret": {"file": "./relay-secret"}}}
      3. Send a test event and see the answer:   rewards relay test notify
      4. Start rewards serve, or restart it, and watch:   rewards relay status

    What the receiver gets: one POST per event, CloudEvents 1.0 in JSON (application/cloudevents+json), signed
    as Standard Webhooks say, in webhook-id, webhook-timestamp and webhook-signature. Libraries for many languages
    check that, https://www.standardwebhooks.com; in Python: Webhook(secret).verify(body, headers). It should
    answer 2xx at once, and work afterwards. An event may come twice, with the same id and the same bytes; each
    user's events come in order.

    What an answer means: 2xx delivered; 410 pauses the sink until rewards relay resume; anything else, a redirect
    too, is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, not before Retry-After, and
    then given up: rewards relay dead. When all goes wrong, single probes are sent until one succeeds.

    Keys of a sink in rewards.json:
      kind                  webhook; file with "path": one event a line; fcm: pushes, see below
      url                   https://, or http:// on this machine; its host must have a public address
      secret                {"file": PATH} or {"env": NAME}: whsec_ and the base64 of 24 to 64 bytes
      previousSecret        the one before it: both sign while receivers change over
      allowPrivate          true for a receiver in a private network (default false)
      timeoutSeconds        how long it may take to answer (default 15)
      concurrency           how many requests at once (default 64)
      events                types and groups: "rewards" (the default: all below but account), "account",
                            "operations" (how the service is: for a pager);
                            reward.granted, reward.reversed, streak.extended, streak.broken, streak.held,
                            streak.repaired, streak.at-risk, level.reached,
                            backfill.summary, day.closed, account.changed
      everySeconds          the least time between two states of one account (default 10)
      users                 of how many users in a hundred, for a pilot (default 100)
      keepDays              for how long data/relay/ tells of each attempt (default 30)

    Whoever adds up points, coins and items of reward.granted and reward.reversed has what this ledger gave.
    account.changed brings a user's whole state, the latest only, with a position that never goes back.
    operations tells a pager when the API breaks down, a close waits, the clock or the disk is in trouble, a job fails.

    Setting up pushes (Firebase Cloud Messaging):
      "push": {"kind": "fcm", "credentials": {"file": "./service-account.json"},
               "templates": "./texts.json", "quietHours": "22:00-08:00", "topic": "ios_platform"}
      The credentials are the key file of a service account, mode 0600. Users are reached by "deviceToken" in the
      roster file, in their "language" there. Events without a text are not pushed; texts.json, checked at the start:
           {"fallback": "en", "texts": {"streak.at-risk": {
             "en": {"title": "Keep your streak of {length} days", "body": "{hours} hours are left."},
             "ja": {"title": "{length}日連続が途切れそうです", "body": "あと{hours}時間です。"}}}}
      In quiet hours pushes wait until they end, unless they make no sense then; what is older than maxAgeHours (24) is
      not pushed. "topic" is where events of no user go. rewards relay test push has Google check everything.

    streak.at-risk warns a user whose streak breaks with the running day, once a day, when it is known that nothing
    has counted. It comes when a time is set: "atRisk": {"minutesBefore": 180, "length": 3}.

    """
}
