import CivilTime
import Ledger
import RewardRules
package import StrictJSON

/// A roster read from JSON lines: the valid entries, and what is wrong with the others.
package struct RosterFile: Sendable {
  /// The valid entries with their line numbers, in order.
  package private(set) var entries: [(line: Int, entry: RosterEntry)] = []
  /// The lines that cannot be used, in order.
  package private(set) var problems: [RosterProblem] = []

  /// Reads `{"user","apiUser"?,"timezone","since"?,"deviceToken"?,"account"?,"opening"?}` lines. Skips empty
  /// lines, and users of other ledgers, for whom `isOurs` returns false.
  ///
  /// Of two lines with the same user, or with the same user of the API, the second is a problem.
  package init(_ text: [UInt8], of isOurs: (String) -> Bool = { _ in true }) {
    var seen: [String: Int] = [:]
    // Without any `apiUser`, different users are different there too.
    let hasAPIUsers = text.firstRange(of: Array("\"apiUser\"".utf8)) != nil
    var polled: [String: Int] = [:]
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let bytes = Array(line)
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      let number = index + 1
      switch Self.entry(bytes) {
      case .failure(let problem): problems.append(RosterProblem(line: number, what: problem.reason))
      case .success(let entry):
        if let first = seen[entry.user] {
          problems.append(
            RosterProblem(line: number, what: "user \(entry.user) is already on line \(first)"))
          continue
        }
        seen[entry.user] = number
        if hasAPIUsers, let first = polled.updateValue(number, forKey: entry.apiUser ?? entry.user)
        {
          polled[entry.apiUser ?? entry.user] = first
          problems.append(
            RosterProblem(
              line: number,
              what:
                "user \(entry.user) is the same user of the API as line \(first); give each an \"apiUser\" of its own"
            ))
          continue
        }
        if isOurs(entry.user) { entries.append((number, entry)) }
      }
    }
  }

  private struct Flaw: Error { let reason: String }

  private static func entry(_ line: [UInt8]) -> Result<RosterEntry, Flaw> {
    let reader = DocumentReader(line, allowingComments: false)
    guard let section = reader.rootSection() else {
      return .failure(Flaw(reason: reader.problems.first?.what ?? "not a JSON object"))
    }
    let user = id("user", section)
    let apiUser = id("apiUser", section)
    let zone = section.string("timezone")
    var since: Day?
    if let text = section.string("since") {
      since = Day(text)
      if since == nil, let node = section.node("since") {
        section.note("since", node, "\"\(text)\" is not a date, YYYY-MM-DD")
      }
    }
    // Only sinks read these; the ledger does not need them.
    _ = section.string("deviceToken")
    _ = section.string("account")
    _ = section.string("language")
    let opening = section.section("opening").map(Self.opening)
    section.finish()
    if let problem = reader.problems.first {
      let place = problem.path.isEmpty ? "" : "\"\(problem.path)\": "
      return .failure(Flaw(reason: "\(place)\(problem.what)"))
    }
    guard let user, UserID.isValid(user) else {
      return .failure(Flaw(reason: "\"user\" must be 1 to 64 characters of A-Z a-z 0-9 _ . -"))
    }
    if section.has("apiUser") {
      guard let apiUser, UserID.isValid(apiUser) else {
        return .failure(
          Flaw(reason: "\"apiUser\" must be 1 to 64 characters of A-Z a-z 0-9 _ . -"))
      }
    }
    return .success(
      RosterEntry(
        user: user, apiUser: apiUser == user ? nil : apiUser, zone: zone, since: since,
        opening: opening))
  }

  /// Returns an id, which may be written as a whole number.
  private static func id(_ key: String, _ section: DocumentSection) -> String? {
    guard let node = section.node(key) else { return nil }
    return node.string ?? node.int.map(String.init)
  }

  private static func opening(_ section: DocumentSection) -> OpeningBalance {
    var opening = OpeningBalance(
      Amounts { section.int($0.rawValue, in: amounts) ?? 0 },
      level: Int32(section.int("level", in: levels) ?? 1),
      streak: Int32(section.int("streak", in: streaks) ?? 0),
      items: section.strings("items") ?? [])
    opening.boosterUntil = instant("boosterUntil", section)
    opening.totalLogins = section.int("totalLogins", in: amounts) ?? 0
    section.finish()
    return opening
  }

  private static func instant(_ key: String, _ section: DocumentSection) -> Instant? {
    guard let text = section.string(key), let node = section.node(key) else { return nil }
    do throws(InstantTextError) { return try InstantText.parse(text).instant } catch {
      section.note(key, node, "\(error)")
      return nil
    }
  }
}

extension RosterFile {
  /// The users' ids at the app's API, for those who have another one in the ledger.
  package var apiUsers: [String: String] {
    Dictionary(entries.compactMap { line in line.entry.apiUser.map { (line.entry.user, $0) } }) {
      first, _ in first
    }
  }

  /// Makes problems of the entries for which `objection` returns a reason.
  package mutating func refuse(where objection: (RosterEntry) -> String?) {
    let all = entries
    entries = []
    for (line, entry) in all {
      if let what = objection(entry) {
        problems.append(RosterProblem(line: line, what: what))
      } else {
        entries.append((line, entry))
      }
    }
  }

  /// The shape of a line.
  package static let shape = JSONShape.object([
    .init("user", .either([.text(.text), .integer(nil)])),
    .init("apiUser", .either([.text(.text), .integer(nil)]), isOptional: true),
    .init("timezone", .text(.text), isOptional: true),
    .init("since", .text(.day), isOptional: true),
    .init("deviceToken", .text(.text), isOptional: true),
    .init("language", .text(.text), isOptional: true),
    .init("account", .text(.text), isOptional: true),
    .init("opening", opening, isOptional: true),
  ])

  private static let amounts: ClosedRange<Int64> = 0...1_000_000_000_000
  private static let levels = 1...Int64(LevelRules.limit)
  private static let streaks: ClosedRange<Int64> = 0...100_000
  private static let opening = JSONShape.object(
    RewardUnit.allCases.map { .init($0.rawValue, .integer(amounts), isOptional: true) } + [
      .init("level", .integer(levels), isOptional: true),
      .init("streak", .integer(streaks), isOptional: true),
      .init("items", .list(.text(.text), count: nil), isOptional: true),
      .init("boosterUntil", .text(.instant), isOptional: true),
      .init("totalLogins", .integer(amounts), isOptional: true),
    ])
}
