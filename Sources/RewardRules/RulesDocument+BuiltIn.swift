extension RulesDocument {
  /// The app's own rules, in force if no document is configured and the default for every section.
  public static let builtIn = builtIn(builtInText)

  /// The app's own rules as 1.0.0 had them. Ledgers begun with them go on with them, and a recorded document that names no
  /// built-in rules is completed by them.
  private static let builtIn1 = builtIn(builtInText1)

  /// The app's own rules of all versions, the newest first.
  public static let allBuiltIn = [builtIn, builtIn1]

  private static func builtIn(_ text: String) -> RulesDocument {
    switch RulesParser.parse(Array(text.utf8), defaults: nil) {
    case .success(let document): return document
    case .failure(let problems): preconditionFailure("built-in rules: \(problems)")
    }
  }

  /// Whether this is the app's own document, not one that somebody wrote.
  public var isBuiltIn: Bool { self === Self.builtIn }

  /// Parses a document as a ledger holds it. What it leaves out comes from the built-in rules named `defaults`; with nil, from
  /// those of 1.0.0, whose ledgers name none.
  public static func parse(
    recorded text: String, completedBy defaults: String?
  ) throws -> RulesDocument {
    let name = defaults ?? builtIn1.version
    guard let defaults = allBuiltIn.first(where: { $0.version == name }) else {
      throw UnknownBuiltIn(version: name)
    }
    return try RulesParser.parse(Array(text.utf8), defaults: defaults).get()
  }

  /// A recorded document is completed by built-in rules that this program does not have.
  public struct UnknownBuiltIn: Error, Sendable, CustomStringConvertible {
    /// The rules that it names.
    public let version: String

    /// The cause and the remedy.
    public var description: String {
      "it is completed by built-in rules \"\(version)\", which this program does not have; use a newer one"
    }
  }

  /// The built-in rules as text, to start a document from.
  public static let builtInText = """
    {
      "version": "builtin-2",
      "effectiveFrom": "2000-01-01",
      "missions": {
        "comment": {"points": 5, "exp": 5, "title": {"en": "Comment once", "ja": "1回コメントする"}},
        "watch": {"points": 15, "exp": 15, "title": {"en": "Watch a stream", "ja": "配信を視聴する"}},
        "follow": {"points": 15, "exp": 15, "title": {"en": "Follow somebody", "ja": "だれかをフォローする"}},
        "gift": {"points": 20, "exp": 20, "title": {"en": "Send a gift", "ja": "ギフトを贈る"}},
        "share": {"points": 10, "exp": 10, "title": {"en": "Share once", "ja": "1回シェアする"}},
        "stream": {"points": 30, "exp": 30, "title": {"en": "Go live", "ja": "ライブ配信する"}},
        "purchase": {"points": 50, "exp": 50, "title": {"en": "Buy something", "ja": "何か購入する"}}
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
          "15": {"item": "buttonStyle"}, "20": {"item": "fontStyle"}, "25": {"item": "emoji"},
          "30": {"item": "animatedEmoji"}
        }
      },
      "booster": {"multiplier": 2},
      "catalogue": {
        "buttonStyle": ["classic", "glass", "neon"],
        "backgroundImage": ["beach", "city", "forest", "galaxy", "mountains", "sakura"],
        "backgroundColor": ["cream", "mint", "sky", "lavender", "rose", "graphite"],
        "fontColor": ["red", "orange", "green", "blue", "purple", "pink"],
        "fontStyle": ["rounded", "serif", "handwritten", "pixel"],
        "emoji": ["cheers", "hearts", "animals", "food", "sports"],
        "animatedEmoji": ["fireworks", "confetti", "dancing", "sparkles", "balloons"],
        "levelLabel": ["levelLabel"]
      },
      "shop": [
        "buttonStyle", "backgroundImage", "backgroundColor", "fontColor", "fontStyle", "emoji",
        "animatedEmoji"
      ],
      "fallback": {"points": 50},
      "limits": {"pointsPerUserDay": 1000, "expPerUserDay": 2000}
    }
    """

  /// The built-in rules of 1.0.0, never to be changed.
  private static let builtInText1 = """
    {"version":"builtin-1","effectiveFrom":"2000-01-01","missions":{"comment":{"points":5,\
    "exp":5},"watch":{"points":15,"exp":15},"follow":{"points":15,"exp":15},\
    "gift":{"points":20,"exp":20},"share":{"points":10,"exp":10},"stream":{"points":30,\
    "exp":30},"purchase":{"points":50,"exp":50}},"activity":{"counts":"overlaps",\
    "toleratedGapSeconds":0,"openEndHours":12},"streak":{"countsAs":["login","stream","watch",\
    "gift","comment","follow","share","purchase"],"rewards":[{"points":25,"exp":25},\
    {"item":"fontColor"},{"points":50,"exp":50},{"item":"backgroundColor"},{"points":100,\
    "exp":100},{"boosterDays":1},{"coins":50}]},"levels":{"caps":[200,300,400,500,600,700,800,\
    900,1000,1100,1200,1300,1400,1500,1600,1700,1800,1900,2000,2100,2200,2300,2400,2500,2600,\
    2700,2800,2900,3000],"rewards":{"2":{"item":"levelLabel"},"5":{"item":"*"},\
    "10":{"boosterDays":3},"15":{"item":"uiSkin"},"20":{"item":"fontStyle"},\
    "25":{"item":"emoji"},"30":{"item":"animatedEmoji"}}},"booster":{"multiplier":2},\
    "catalogue":{"fontColor":["red","orange","green","blue","purple","pink"],\
    "backgroundColor":["cream","mint","sky","lavender","rose","graphite"],"uiSkin":["spring",\
    "summer","autumn","winter"],"fontStyle":["rounded","serif","handwritten","pixel"],\
    "emoji":["cheers","hearts","animals","food","sports"],"animatedEmoji":["fireworks",\
    "confetti","dancing"],"levelLabel":["levelLabel"]},"fallback":{"points":50},\
    "limits":{"pointsPerUserDay":1000,"expPerUserDay":2000}}
    """
}
