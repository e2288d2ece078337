import Ledger
import RewardRules
import Scheduling

/// Formats the command that approves a request, from the words in which the ledger holds it.
enum ApprovalLine {
  /// Returns the command line; FILE and NAME are left to whoever approves. Once two people agree, it needs no approval.
  static func text(_ id: String, _ request: RequestMark, isAgreed: Bool = false) -> String {
    let name = SecondActor.named(request.actor) == nil ? "" : " --actor NAME"
    if BigAct.isConfigured(request) { return "rewards approve \(id)\(name)" }
    let command = command(request.what)
    let needsReason = !command.hasSuffix(" FILE")
    let line =
      "rewards \(command)" + (needsReason ? " --reason \(Quoted.always(request.reason))" : "")
    if isAgreed { return line }
    return line + " --approve \(id)\(name)"
  }

  /// Returns the command without its reason.
  private static func command(_ what: String) -> String {
    let word = "\(BigAct.broadcastWord) "
    if what.hasPrefix(word), let broadcast = Broadcast(text: String(what.dropFirst(word.count))) {
      return "relay broadcast --title \(Quoted.always(broadcast.title)) "
        + "--body \(Quoted.always(broadcast.body))"
        + (broadcast.locKey.map { " --loc-key \(Quoted.always($0))" } ?? "")
    }
    let parts = what.split(separator: ": ", maxSplits: 1)
    let key = parts[0].drop { $0 != " " }.dropFirst()
    switch parts[0].prefix(while: { $0 != " " }) {
    case "grant": return gift(key, parts.count > 1 ? parts[1] : "")
    case "release": return "release \(key)"
    case "reverse": return "reverse \(key)"
    case "give": return "reverse \(key.dropFirst("back ".count)) --undo"
    case "credit": return "ingest FILE"
    case "import": return "users import FILE"
    case "excuse": return excuse(key, parts.count > 1 ? parts[1] : "")
    default: return "backfill --apply FILE"
    }
  }

  /// Returns the command of a pardon of the days `FROM..TO` for users or zones.
  private static func excuse(_ days: Substring, _ scope: Substring) -> String {
    let ends = days.split(separator: ".")
    let options = scope.split(separator: "; ").flatMap { part in
      let words = part.split(separator: " ")
      if words == ["everybody"] { return [" --everybody"] }
      if words.contains("SHA-256") { return [" --user USER…"] }
      return words.dropFirst().map { " --\(words[0].dropLast()) \($0)" }
    }
    return "excuse --from \(ends[0]) --to \(ends[ends.count - 1])\(options.joined())"
  }

  /// Returns the command of a gift under `key`, with its amounts and items.
  private static func gift(_ key: Substring, _ reward: Substring) -> String {
    let place = key.split(separator: "/")
    let words = reward.split(separator: " ")
    let units = RewardUnit.allCases
    let amounts = zip(units, stride(from: 0, to: words.count, by: 2)).filter { words[$1] != "0" }
      .map { " --\($0.rawValue) \(words[$1])" }
    var items: [Substring] = []
    for word in words.dropFirst(units.count * 2) {
      // The name of an item may hold spaces.
      if word.contains("/") || items.isEmpty {
        items.append(word)
      } else {
        items[items.count - 1] += " \(word)"
      }
    }
    let options = amounts + items.map { " --item \(Quoted.word(String($0)))" }
    return "grant \(place[0])\(options.joined()) --id \(place[place.count - 1])"
  }
}
