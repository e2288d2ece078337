/// The shipped job files, as in `jobs/`; a test compares the two.
enum ShippedJobs {
  /// The texts by file name.
  static let files: [(name: String, text: String)] = [
    ("nightly-reconciliation.json", nightly), ("backfill-missed-streaks.json", streaks),
    ("audit-grants.json", audit), ("audit-everything.json", fullAudit),
  ]

  private static let nightly = """
    // Closes each user's day: polls once more where a verdict is open, judges, grants what is missing,
    // and proves that doing it again would append nothing.
    {
      "name": "nightly-reconciliation",
      "schedule": "30 0 * * *",
      "timeZone": "user",                        // each zone that has users, at its own 00:30
      "do": ["reconcile", "--day", "yesterday", "--prove"],
      "overlap": "skip",
      "catchUp": "36h",                          // each missed day runs once, oldest first
      "jitter": "5m",                            // spreads the zones that share an hour
      "timeout": "2h",
      "enabled": true
    }

    """

  private static let streaks = """
    // Lists, from the recorded gaps, which days an outage hid, for an operator to declare and backfill: it only proposes.
    // The run's record counts days and users; `rewards excuse --propose` shows them. Nothing is changed by itself.
    {
      "name": "backfill-missed-streaks",
      "schedule": "0 6 * * mon",
      "timeZone": "Asia/Tokyo",
      "do": ["excuse", "--propose"],
      "overlap": "skip",
      "catchUp": "36h",
      "jitter": "5m",
      "timeout": "2h",
      "enabled": true
    }

    """

  private static let audit = """
    // Proves that every grant is right: what is new since the last audit, and what that concerns. A finding makes the run end with
    // 1, which its record and the metrics show.
    {
      "name": "audit-grants",
      "schedule": "0 4 * * mon-sat",
      "timeZone": "Asia/Tokyo",
      "do": ["audit", "--since", "last"],
      "overlap": "skip",
      "catchUp": "12h",
      "jitter": "5m",
      "timeout": "2h",
      "enabled": true
    }

    """

  private static let fullAudit = """
    // Proves every grant from the first line on, and every byte that a disk may have lost in silence.
    {
      "name": "audit-everything",
      "schedule": "0 4 * * sun",
      "timeZone": "Asia/Tokyo",
      "do": ["audit"],
      "overlap": "skip",
      "catchUp": "36h",
      "jitter": "5m",
      "timeout": "12h",
      "enabled": true
    }

    """
}
