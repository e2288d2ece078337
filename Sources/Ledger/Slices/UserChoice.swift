internal import Digests

/// A subset of a ledger's users: a share of all of them, or those with certain ids.
///
/// Several shares can divide a ledger so that each user is in exactly one, to be read in parallel.
public struct UserChoice: Sendable {
  private enum Kind {
    case shares(numbers: Range<UInt64>, count: UInt64)
    case named(Set<UInt64>)
  }

  private let kind: Kind
  /// A filter on these users; nil for all.
  private var isWanted: (@Sendable (String) -> Bool)?

  private init(kind: Kind) { self.kind = kind }

  /// Returns those of the users for whose ids `isWanted` returns true.
  public func among(_ isWanted: (@Sendable (String) -> Bool)?) -> UserChoice {
    var choice = self
    choice.isWanted = isWanted
    return choice
  }

  /// Returns the share with this number, from 0, of all users divided into `count` shares.
  public static func share(_ number: Int, of count: Int) -> UserChoice {
    let number = UInt64(number)
    return UserChoice(kind: .shares(numbers: number..<number + 1, count: UInt64(max(1, count))))
  }

  /// Returns the first `shares` of all users divided into `count` shares.
  public static func shares(_ shares: Int, of count: Int) -> UserChoice {
    UserChoice(kind: .shares(numbers: 0..<UInt64(shares), count: UInt64(max(1, count))))
  }

  /// Returns the users with these ids. By chance, it may include others.
  public static func named(_ users: some Sequence<String>) -> UserChoice {
    UserChoice(kind: .named(Set(users.map { hash($0.utf8) })))
  }

  /// Returns whether a user is included.
  public func includes(_ user: String) -> Bool {
    var id = user
    return includes(id.withUTF8 { Self.hash($0) }) && isWanted?(user) ?? true
  }

  /// Returns whether `line`, given without its `\n`, may be about an included user or about none, judging by its beginning.
  public func mayConcern(
    _ line: UnsafeBufferPointer<UInt8>, _ outline: LineOutline?
  ) -> Bool {
    guard let user = outline?.user else { return true }
    let id = UnsafeBufferPointer(rebasing: line[user])
    guard includes(Self.hash(id)) else { return false }
    return isWanted?(String(decoding: id, as: UTF8.self)) ?? true
  }

  /// The numbers that an index uses for the named users; nil for a share. Other users may have the same numbers.
  public var numbers: Set<UInt32>? {
    guard case .named(let hashes) = kind else { return nil }
    return Set(hashes.map { UInt32(truncatingIfNeeded: $0) })
  }

  /// Returns the number that an index uses for the user with this id; the same in every process.
  public static func number(of id: UnsafeBufferPointer<UInt8>) -> UInt32 {
    UInt32(truncatingIfNeeded: hash(id))
  }

  private func includes(_ hash: UInt64) -> Bool {
    switch kind {
    case .shares(let numbers, let count): count == 1 || numbers.contains(hash % count)
    case .named(let hashes): hashes.contains(hash)
    }
  }

  /// Returns a hash of an id that is the same in every process, so that shares are stable.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    let hash = bytes.fnv1a
    // Neighbouring numbers differ only in their low bits, and a share uses a remainder.
    return hash ^ hash >> 32
  }
}
