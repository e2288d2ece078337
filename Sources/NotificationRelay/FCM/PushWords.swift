internal import CivilTime
internal import RewardRules
internal import StrictJSON

/// What an event gave, in the words of a language.
struct PushWords {
  /// The title of the mission; nil if it has none.
  let mission: String?
  /// The items, each with its category.
  let items: [String]
  /// The items that were taken, each with its category.
  private let removedItems: [String]
  /// The duration of the booster in days of 24 hours.
  let boosterDays: Int64
  private let amounts: Amounts
  private let isJapanese: Bool

  /// Reads the words of an event, in Japanese or otherwise in English.
  init(of event: CloudEvent, in language: String) {
    let data = try? JSONNode.parse(Array(event.data.utf8))
    let isJapanese = language.prefix { $0 != "-" && $0 != "_" } == "ja"
    self.isJapanese = isJapanese
    mission = (data?["title"]?.members).map { members in
      let texts = members.compactMap { member in member.value.string.map { (member.key, $0) } }
      return LocalizedText(Dictionary(texts) { $1 }).text(in: language)
    }
    func names(_ key: String) -> [String] {
      (data?[key]?.elements ?? []).compactMap(\.string).map { Self.name(of: $0, isJapanese) }
    }
    items = names("items")
    removedItems = names("removedItems")
    amounts = Amounts { data?[$0.rawValue]?.int ?? 0 }
    let ends = ["from", "until"].compactMap {
      (data?["booster"]?[$0]?.string).flatMap { try? InstantText.parse($0).instant }
    }
    boosterDays = ends.count == 2 ? (ends[1].seconds(since: ends[0]) + 43_200) / 86_400 : 0
  }

  /// What stands between parts of a list.
  var separator: String { isJapanese ? "、" : ", " }

  /// Everything that the event gave, e.g. `25 points, 25 exp`.
  var reward: String {
    var parts = RewardUnit.allCases.filter { amounts[$0] != 0 }.map { unit in
      switch (unit, isJapanese) {
      case (.points, false): "\(amounts[unit]) \(amounts[unit] == 1 ? "point" : "points")"
      case (.points, true): "\(amounts[unit])ポイント"
      case (.exp, false): "\(amounts[unit]) exp"
      case (.exp, true): "経験値\(amounts[unit])"
      case (.coins, false):
        "\(amounts[unit]) cheer \(amounts[unit] == 1 ? "coin" : "coins")"
      case (.coins, true): "チアコイン\(amounts[unit])枚"
      }
    }
    parts += items
    parts += removedItems.map { isJapanese ? "\($0)の取り消し" : "without \($0)" }
    if boosterDays > 0 {
      parts.append(
        isJapanese
          ? "経験値ブースター\(boosterDays)日分"
          : "exp booster for \(boosterDays) \(boosterDays == 1 ? "day" : "days")")
    }
    if parts.isEmpty { return isJapanese ? "なし" : "nothing" }
    return parts.joined(separator: separator)
  }

  /// Returns `CATEGORY/ITEM` in words, e.g. `font color red`.
  private static func name(of item: String, _ isJapanese: Bool) -> String {
    guard let slash = item.firstIndex(of: "/") else { return item }
    let (category, name) = (item[..<slash], item[item.index(after: slash)...])
    if isJapanese, let known = japanese[String(category)] {
      return category == name ? known : "\(known)「\(name)」"
    }
    let words = category.reduce(into: "") { text, letter in
      text += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
    }
    return category == name ? words : "\(words) \(name)"
  }

  /// The categories of the built-in rules.
  private static let japanese = [
    "buttonStyle": "ボタンスタイル", "backgroundImage": "背景画像", "backgroundColor": "背景色",
    "fontColor": "フォントカラー", "fontStyle": "フォントスタイル", "emoji": "絵文字",
    "animatedEmoji": "アニメーション絵文字", "levelLabel": "レベルラベル",
  ]
}
