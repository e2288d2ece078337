package import CivilTime
package import Described
import Failures
package import Ledger
import Scheduling

/// Declares an outage or a pardon, or withdraws one: `rewards excuse`.
package struct ExcuseRequest: Request {
  /// `excuse`.
  package static let name = "excuse"
  /// The furthest end of an outage or pardon: without a limit, a mistyped year would make every streak unbreakable.
  private static let furthestDaysAhead: Int32 = 31

  private let outage: ExcuseRecord.Outage?
  private let from: Day?
  private let to: Day?
  private let withdraws: UInt64?
  private let users: [String]
  private let zones: [String]
  private let reason: String
  private let actor: String?
  private let approving: String?

  /// The span to excuse.
  package enum Span: Sendable {
    /// What the API hid between two instants.
    case outage(from: Instant, to: Instant)
    /// Days, whatever was observed.
    case days(ClosedRange<Day>)
    /// No span: withdraws the outage or pardon in this line of the ledger.
    case withdrawn(UInt64)
  }

  /// Creates an outage or pardon of `span` for these users and zones; empty means all. `approving` is the id of another person's request
  /// that it fulfils.
  package init(
    _ span: Span, users: [String], zones: [String], reason: String, actor: String?,
    approving: String?
  ) {
    var (outage, days, withdraws): (ExcuseRecord.Outage?, ClosedRange<Day>?, UInt64?)
    switch span {
    case .outage(let from, let to): outage = .init(from: from, to: to)
    case .days(let range): days = range
    case .withdrawn(let seq): withdraws = seq
    }
    self.outage = outage
    from = days?.lowerBound
    to = days?.upperBound
    self.withdraws = withdraws
    self.users = users
    self.zones = zones
    self.reason = reason
    self.actor = actor
    self.approving = approving
  }

  /// The result of the request.
  package struct Report: Sendable {
    /// The first of its records.
    package let excuse: ExcuseRecord
    /// The users concerned; empty for all.
    package let users: [String]
    /// The zones concerned; empty for all.
    package let zones: [String]
    /// The lines appended.
    package let lines: [UInt64]
    /// The number of closed user-days with a gap in the outage; nil without an outage.
    package let userDays: Int?
    /// The number of streaks that a pardon restores although they broke on fully observed days; nil without a pardon.
    package let fairBreaks: Int?
    /// The line of the same outage or pardon, if it was already in force; otherwise nil.
    package let earlier: UInt64?
    /// Whether it may change closed days.
    package let isClosed: Bool
  }

  /// Records the outage, the pardon or the withdrawal.
  package func perform(at place: Place) async throws -> Report {
    let runtime = place.runtime
    let reason = try Reason.check(reason)
    let actor = try place.actor(actor)
    if let withdraws {
      guard
        let excuse = try await Excuses(runtime).withdraw(withdraws, reason: reason, actor: actor)
      else {
        throw Failure(
          .usage, "ledger line \(withdraws) is not an excuse in force", place: "--withdraw",
          remedy: "See rewards ledger export --type excuse.")
      }
      return await report(
        excuse.record, excuse.record.users ?? [], excuse.record.zone.map { [$0] } ?? [],
        lines: [excuse.seq], at: runtime)
    }
    try await checkScope(at: runtime)
    let excuse: ExcuseRecord
    var (userDays, fairBreaks): (Int?, Int?)
    if let outage {
      guard outage.from < outage.to else {
        throw Failure(
          .usage,
          "the outage must end after it begins: it begins at \(outage.from) and ends at \(outage.to)",
          place: "--outage")
      }
      guard outage.to <= runtime.clock.now() else {
        throw Failure(
          .usage, "the outage ends at \(outage.to), which is in the future", place: "--outage",
          remedy: "Declare it when it is over, or now the part that is past.")
      }
      userDays = try await Excuses(runtime).hiddenUserDays(
        by: outage, users: users, zones: zones)
      excuse = ExcuseRecord(outage: outage, reason: reason, actor: actor)
    } else if let from, let to, from <= to {
      excuse = ExcuseRecord(from: from, to: to, reason: reason, actor: actor)
      fairBreaks = try await Excuses(runtime).fairBreaks(
        on: from...to, users: users, zones: zones)
    } else {
      throw Failure(.usage, "declare either an outage or days")
    }
    let today = Day(number: Int32(clamping: runtime.clock.now().seconds / 86_400))
    if outage == nil, excuse.to > today.adding(days: Self.furthestDaysAhead) {
      throw Failure(
        .usage, "\(excuse.to) is more than \(Self.furthestDaysAhead) days ahead", place: "--to",
        remedy: "Declare it when the day is near.")
    }
    let earlier = await Excuses(runtime).standing(like: excuse, users: users, zones: zones)
    let lines = try await Excuses(runtime).declare(
      excuse, users: users, zones: zones, approving: approving)
    return await report(
      excuse, users, zones, lines: lines, userDays: userDays, fairBreaks: fairBreaks,
      earlier: earlier, at: runtime)
  }

  /// Throws when it names users that the ledger does not know, or zones that do not exist.
  private func checkScope(at runtime: Runtime) async throws {
    let known = await runtime.writer.read { state in
      users.filter { state.ledger.index(of: $0) != nil }
    }
    if let stranger = users.first(where: { !known.contains($0) }) {
      throw Failure.noMember(stranger)
    }
    for zone in zones { _ = try runtime.environment.zones.zone(named: zone) }
  }

  private func report(
    _ excuse: ExcuseRecord, _ users: [String], _ zones: [String], lines: [UInt64],
    userDays: Int? = nil, fairBreaks: Int? = nil, earlier: UInt64? = nil, at runtime: Runtime
  ) async -> Report {
    let isClosed =
      if let userDays { userDays > 0 } else {
        await runtime.writer.scan { state in
          state.ledger.accounts.contains { $0.isPresent && $0.boundaryDay >= excuse.from }
        }
      }
    return Report(
      excuse: excuse, users: users, zones: zones, lines: lines, userDays: userDays,
      fairBreaks: fairBreaks, earlier: earlier, isClosed: isClosed)
  }
}

extension ExcuseRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    outage = try coder.optional("outage", value?.pointee.outage)
    from = try coder.optional("from", value?.pointee.from)
    to = try coder.optional("to", value?.pointee.to)
    withdraws = try coder.optional("withdraw", value?.pointee.withdraws)
    users = try coder.field("users", value?.pointee.users)
    zones = try coder.field("zones", value?.pointee.zones)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
  }
}
