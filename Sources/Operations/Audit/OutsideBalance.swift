package import Failures
package import RewardRules
package import StrictJSON

/// A user's balance according to another system.
package struct OutsideBalance: Sendable, Equatable {
  /// The user's id.
  package let user: String
  /// The amounts that it states, of exp those within the level. The others are not compared.
  package let amounts: [RewardUnit: Int64]
  /// The reason the other system gave no balance; nil when it gave one.
  package let problem: String?
  /// The line in its file, from 1; nil when it comes from no file.
  package private(set) var line: Int?

  /// Creates a balance of coins alone.
  init(user: String, coins: Int64?, problem: String? = nil) {
    self.user = user
    amounts = coins.map { [.coins: $0] } ?? [:]
    self.problem = problem
  }

  /// Reads JSON lines `{"user","points"?,"exp"?,"coins"?}`; skips empty lines.
  package static func read(
    _ text: [UInt8], of file: String
  ) throws(Failure) -> [OutsideBalance] {
    var balances: [OutsideBalance] = []
    var users: Set<String> = []
    for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { $0 > 0x20 }) {
      do throws(JSONError) {
        var balance = try OutsideBalance(Array(line))
        balance.line = index + 1
        guard users.insert(balance.user).inserted else {
          throw JSONError(offset: 0, what: "the user is already on an earlier line")
        }
        balances.append(balance)
      } catch {
        throw Failure(line: index + 1, of: file, error.what)
      }
    }
    if balances.isEmpty {
      throw Failure(line: 1, of: file, "the file names no user: nothing is compared")
    }
    return balances
  }

  private init(_ line: [UInt8]) throws(JSONError) {
    let node = try JSONNode.parse(line)
    guard let user = node["user"]?.string else {
      throw JSONError(offset: 0, what: "expected {\"user\": ID, \"points\": N}")
    }
    self.user = user
    problem = nil
    for member in node.members ?? [] where member.key != "user" && !Self.units.contains(member.key)
    {
      let nearest = NearestName.hint(for: member.key, among: Self.units)
      throw JSONError(
        offset: member.keyOffset,
        what: "\"\(member.key)\" is not a balance\(nearest)")
    }
    var amounts: [RewardUnit: Int64] = [:]
    for unit in RewardUnit.allCases { amounts[unit] = try Self.amount(unit.rawValue, in: node) }
    self.amounts = amounts
    guard !amounts.isEmpty else {
      throw JSONError(
        offset: 0, what: "the line gives none of \(Self.units.joined(separator: ", "))")
    }
  }

  private static let units = RewardUnit.allCases.map(\.rawValue)

  /// Returns a whole number within reasonable limits; nil when the member is absent.
  private static func amount(_ name: String, in node: JSONNode) throws(JSONError) -> Int64? {
    guard let value = node[name] else { return nil }
    let most = Amounts.most
    guard let number = value.int, (-most...most).contains(number) else {
      throw JSONError(
        offset: 0, what: "\"\(name)\" must be a whole number from \(-most) to \(most)")
    }
    return number
  }
}

extension OutsideBalance {
  /// The shape of a line; it has at least one unit.
  package static let shape = JSONShape.object(
    [.init("user", .text(.text))] + units.map { .init($0, .integer(nil), isOptional: true) })
}
