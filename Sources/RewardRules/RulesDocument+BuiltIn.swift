extension RulesDocument {
  /// The app's own rules, in force if no document is configured and the default for every section.
  public static let builtIn: RulesDocument = {
    switch RulesParser.parse(Array(builtInText.utf8), defaults: nil) {
    case .success(let document): return document
    case .failure(let problems): preconditionFailure("built-in rules: \(problems)")
    }
  }()

  /// The built-in rules as text, to start a document from.
  public static let builtInText = """
    {
      "version": "builtin-1",
      "effectiveFrom": "2000-01-01",
      "missions": {
        "comment": {"points": 5, "exp": 5},
        "watch": {"points": 15, "exp": 15},
        "follow": {"points": 15, "exp": 15},
        "gift": {"points": 20, "exp": 20},
        "share": {"points": 10, "exp": 10},
        "stream": {"points": 30, "exp": 30},
        "purchase": {"points": 50, "exp": 50}
      },
      "activity": {"counts": "overlaps", "toleratedGapSeconds": 0, "openEndHours": 12},
      "streak": {
        "countsAs": ["login", "stream", "watch", "gift", "comment", "follow", "share", "purchase"],
        "rewards": [
          {"points": 25, "exp": 25}, {"item": "fontColor"}, {"points": 50, "exp": 50},
          {"item": "backgroundColor"}, {"points": 100, "exp": 100}, {"boosterDays": 1},
          {"coins": 50}
        ]
      },
      "levels": {
        "caps": [
          200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600,
          1700, 1800, 1900, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700, 2800, 2900, 3000
        ],
        "rewards": {
          "2": {"item": "levelLabel"}, "5": {"item": "*"}, "10": {"boosterDays": 3},
          "15": {"item": "uiSkin"}, "20": {"item": "fontStyle"}, "25": {"item": "emoji"},
          "30": {"item": "animatedEmoji"}
        }
      },
      "booster": {"multiplier": 2},
      "catalogue": {
        "fontColor": ["red", "orange", "green", "blue", "purple", "pink"],
        "backgroundColor": ["cream", "mint", "sky", "lavender", "rose", "graphite"],
        "uiSkin": ["spring", "summer", "autumn", "winter"],
        "fontStyle": ["rounded", "serif", "handwritten", "pixel"],
        "emoji": ["cheers", "hearts", "animals", "food", "sports"],
        "animatedEmoji": ["fireworks", "confetti", "dancing"],
        "levelLabel": ["levelLabel"]
      },
      "fallback": {"points": 50},
      "limits": {"pointsPerUserDay": 1000, "expPerUserDay": 2000}
    }
    """
}
