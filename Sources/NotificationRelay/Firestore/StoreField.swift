/// The fields of a user's document, by their names in the app.
package enum StoreField: String, CaseIterable, Sendable {
  /// The user's id in the ledger; only read.
  case userID = "UserID"
  /// Shop points.
  case points = "ShopPoints"
  /// Exp within the level.
  case exp = "TotalExp"
  /// The level, from 1.
  case level = "Level"
  /// The items, as an array of strings.
  case items = "OwnedItems"
  /// When the last booster ends.
  case boosterUntil = "ExpBoosterEndDay"
  /// The cycle day of the streak, from 0.
  case cycleDay = "ConsecutiveLogin"
  /// The number of days with a login.
  case logins = "TotalLogin"
  /// When the user last opened the app; only read.
  case lastLogin = "LastLogin"
  /// Whether today's login reward is still to be collected.
  case dailyReward = "DailyReward"
  /// Whether each of today's missions is still to be collected, in the order of ``missions``.
  case missionRewards = "MissionRewards"
  /// This program's record of what it has written.
  case record = "Rewards"

  /// The order of ``missionRewards`` in the app.
  static let missions = ["comment", "watch", "follow", "gift", "share", "stream", "purchase"]
}

/// How the fields are named in the documents, and which ones are left alone.
package struct StoreFields: Equatable, Sendable {
  private var names: [StoreField: String] = Dictionary(
    uniqueKeysWithValues: StoreField.allCases.map { ($0, $0.rawValue) })
  /// The value of a flag whose reward is collected.
  package var collectedValue = false

  /// Creates the app's own names.
  package init() {}

  /// The name of a field; nil if the documents do not have it.
  package subscript(_ field: StoreField) -> String? {
    get { names[field] }
    set { names[field] = newValue }
  }

  /// The name of ``StoreField/record``, which no document lacks for good.
  var record: String { names[.record] ?? StoreField.record.rawValue }

  /// The names of all fields, for reading.
  var all: [String] { names.values.sorted() }

  /// Returns what is wrong with a field's name, or nil.
  package static func objection(to name: String) -> String? {
    let isName = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
      default: false
      }
    }
    return isName && !name.isEmpty && name.utf8.count <= 128
      ? nil : "a field's name may contain only letters, digits and _, and begins with no digit"
  }
}
