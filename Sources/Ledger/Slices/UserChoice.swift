/// Some of the users of a ledger: a share of all, or those with certain names.
///
/// Several choices together cover a ledger so that each user is in just one: then they can be read side by side.
public struct UserChoice: Sendable {
  private enum Kind {
    case shares(numbers: Range<UInt64>, count: UInt64)
    case named(Set<UInt64>)
  }

  private let kind: Kind
  /// Who of them counts; nil for all.
  private var isWanted: (@Sendable (String) -> Bool)?

  private init(kind: Kind) { self.kind = kind }

  /// Those among them whose ids `isWanted` returns true for.
  public func among(_ isWanted: (@Sendable (String) -> Bool)?) -> UserChoice {
    var choice = self
    choice.isWanted = isWanted
    return choice
  }

  /// Returns the share `number`, from 0, when all users are divided into `count`.
  public static func share(_ number: Int, of count: Int) -> UserChoice {
    let number = UInt64(number)
    return UserChoice(kind: .shares(numbers: number..<number + 1, count: UInt64(max(1, count))))
  }

  /// Returns the first shares, `shares` of them, when all users are divided into `count`.
  public static func shares(_ shares: Int, of count: Int) -> UserChoice {
    UserChoice(kind: .shares(numbers: 0..<UInt64(shares), count: UInt64(max(1, count))))
  }

  /// Those with these ids; by chance somebody else may be among them.
  public static func named(_ users: some Sequence<String>) -> UserChoice {
    UserChoice(kind: .named(Set(users.map { hash($0.utf8) })))
  }

  /// Returns whether a user is among them.
  public func includes(_ user: String) -> Bool {
    var id = user
    return includes(id.withUTF8 { Self.hash($0) }) && isWanted?(user) ?? true
  }

  /// Returns whether `line`, without its `\n`, may be about one of them or about no user; judged by its beginning alone.
  public func mayConcern(
    _ line: UnsafeBufferPointer<UInt8>, _ outline: LineOutline?
  ) -> Bool {
    guard let user = outline?.user else { return true }
    let id = UnsafeBufferPointer(rebasing: line[user])
    guard includes(Self.hash(id)) else { return false }
    return isWanted?(String(decoding: id, as: UTF8.self)) ?? true
  }

  /// The numbers by which an index knows those that are named; nil for a share of all. Others may have the same.
  public var numbers: Set<UInt32>? {
    guard case .named(let hashes) = kind else { return nil }
    return Set(hashes.map { UInt32(truncatingIfNeeded: $0) })
  }

  /// Returns the number by which an index knows the user whose id has these bytes; the same in every process.
  public static func number(of id: UnsafeBufferPointer<UInt8>) -> UInt32 {
    UInt32(truncatingIfNeeded: hash(id))
  }

  private func includes(_ hash: UInt64) -> Bool {
    switch kind {
    case .shares(let numbers, let count): count == 1 || numbers.contains(hash % count)
    case .named(let hashes): hashes.contains(hash)
    }
  }

  /// FNV-1a: the same in every process, so that shares stay the same.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    // Neighbouring numbers differ in the low bits only; a share looks at a remainder.
    return hash ^ hash >> 32
  }
}
