import StrictJSON

/// A user's balance as another system has it; what is nil is not compared.
public struct OutsideBalance: Sendable, Equatable {
  /// The user's id.
  public let user: String
  /// Shop points.
  public let points: Int64?
  /// Exp within the level.
  public let exp: Int64?
  /// Cheer coins.
  public let coins: Int64?

  /// Why a line of a file of balances is none.
  public struct Problem: Error, Sendable, Equatable {
    /// The line, from 1.
    public let line: Int
    /// The cause.
    public let cause: String
  }

  /// Reads JSON lines `{"user","points"?,"exp"?,"coins"?}`; empty lines are passed over.
  public static func read(_ text: [UInt8]) throws(Problem) -> [OutsideBalance] {
    var balances: [OutsideBalance] = []
    for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { $0 > 0x20 }) {
      do throws(JSONError) {
        balances.append(try OutsideBalance(Array(line)))
      } catch {
        throw Problem(line: index + 1, cause: error.what)
      }
    }
    return balances
  }

  private init(_ line: [UInt8]) throws(JSONError) {
    let node = try JSONNode.parse(line)
    guard let user = node["user"]?.string else {
      throw JSONError(offset: 0, what: "expected {\"user\": ID, \"points\": N}")
    }
    self.user = user
    points = node["points"]?.int
    exp = node["exp"]?.int
    coins = node["coins"]?.int
  }
}
