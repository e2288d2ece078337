public import CivilTime
import Ledger
import Scheduling

/// Declares outages.
public struct Excusing: Sendable {
  /// Users that a record names at most.
  private static let usersARecord = 1_000

  private let runtime: Runtime

  /// Declarations in the ledger that this process holds.
  public init(_ runtime: Runtime) { self.runtime = runtime }

  /// Excuses these users, or all when none is named, on these days; returns how many records were appended.
  ///
  /// Open days are judged by it from now on. Throws ``LedgerStore/LedgerError``.
  public func declare(
    _ days: ClosedRange<Day>, users: [String], reason: String, actor: String
  ) async throws -> Int {
    var rest = users[...]
    var count = 0
    repeat {
      let some = Array(rest.prefix(Self.usersARecord))
      rest = rest.dropFirst(some.count)
      try await runtime.writer.note(
        .excuse(
          ExcuseRecord(
            from: days.lowerBound, to: days.upperBound, users: users.isEmpty ? nil : some,
            reason: reason, actor: actor)))
      count += 1
    } while !rest.isEmpty
    return count
  }
}
