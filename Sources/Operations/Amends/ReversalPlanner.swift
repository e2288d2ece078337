package import CivilTime
package import Configuration
package import Engine
import Failures
import Foundations
import Ledger
package import LedgerStore
internal import RewardRules

/// Works out the consequences of reversing grants, or of undoing a reversal. Changes nothing.
package struct ReversalPlanner: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Creates a planner for this configuration's ledger.
  package init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Returns the plan that reverses the standing grants of `selection` and everything that depends on them, or that restores
  /// the reversed ones.
  ///
  /// Grants already in that state are left out. `balances` are the users' remaining balances where points are spent; for
  /// other users the ledger's own sums count. Restoring a grant also removes what the reversing plan waived.
  ///
  /// Throws ``Failures/Failure`` when the ledger has no such grant, ``LedgerStore/LedgerError`` or ``Configuration/SecretError``.
  package func plan(
    _ selection: GrantSelection, in reader: LedgerReader, undoing: Bool = false,
    protection: LossProtection, balances: [OutsideBalance] = [], reason: String, actor: String
  ) async throws -> (plan: BackfillPlan, impact: Impact) {
    try await BlockingThread(named: "rewards.reversal").run {
      let chosen = try ChosenGrants(selection, in: reader)
      if chosen.isEmpty { throw Self.noSuchGrant(selection) }
      let planner = BackfillPlanner(configuration, environment)
      let holdings = chosen.holdings(of: balances)
      let (plan, parts) = try planner.plan(
        BackfillOrder(
          days: nil, users: selection.users, protection: protection, holdings: holdings),
        reader: reader, users: chosen.users, naming: chosen.fingerprint(undoing: undoing)
      ) { timeline, id in
        let grants = timeline.grants.filter {
          $0.isReversed == undoing && chosen.contains($0.text) && (undoing || $0.net.isSomething)
        }
        let reversals = grants.map {
          RecordBody.reversal(
            ReversalRecord(
              of: $0, user: timeline.account.id, undone: undoing, plan: undoing ? nil : id,
              reason: reason, actor: actor))
        }
        let waivers = undoing ? timeline.waiversReturned(for: grants, plan: id) : []
        return reversals + waivers.map { .grant($0) }
      }
      return (plan, chosen.impact(of: plan, parts, sinks: SinkProgress.all(configuration)))
    }
  }

  private static func noSuchGrant(_ selection: GrantSelection) -> Failure {
    guard let key = selection.keys?.first else {
      return Failure(
        .badData, "the ledger has no such grants", remedy: "See rewards ledger export --type grant."
      )
    }
    return Failure(
      .badData, "the ledger has no such grant", place: key,
      remedy: "See rewards explain USER DAY for the keys of a day.")
  }
}

/// The selected keys, each with its line.
private struct ChosenGrants {
  private var lines: [String: UInt64] = [:]
  private(set) var users: Set<String> = []

  init(_ selection: GrantSelection, in reader: LedgerReader) throws {
    if let users = selection.usersConcerned {
      try reader.scan(.of(.named(users))) { add($0, selection) }
    } else {
      try reader.scan { add($0, selection) }
    }
  }

  private mutating func add(_ record: Record, _ selection: GrantSelection) {
    guard case .grant(let grant) = record.body else { return }
    let key = grant.baseKey
    if selection.includes(grant) {
      lines[key] = lines[key] ?? record.seq
      users.insert(grant.user)
    } else if key != grant.key {
      // Other rules have adjusted it since, so the standing amount is theirs.
      lines[key] = nil
    }
  }

  var isEmpty: Bool { lines.isEmpty }

  /// Returns the remaining holdings of the selected users who have a balance; an omitted unit counts as nothing left.
  func holdings(of balances: [OutsideBalance]) -> [String: Amounts] {
    let known = balances.filter { users.contains($0.user) }
    return Dictionary(
      known.map { balance in
        (balance.user, Amounts { RewardUnit.held.contains($0) ? balance.amounts[$0] ?? 0 : 0 })
      }
    ) { _, last in last }
  }

  func contains(_ key: String) -> Bool { lines[key] != nil }

  /// Returns a text that distinguishes this choice from others on the same ledger.
  func fingerprint(undoing: Bool) -> String {
    (undoing ? "undo " : "reverse ") + lines.values.sorted().map(String.init).joined(separator: ",")
  }

  func impact(
    of plan: BackfillPlan, _ parts: [UserPlan], sinks: [SinkProgress]
  ) -> Impact {
    var impact = Impact(plan, parts)
    let reversed = plan.users.flatMap(\.acts).compactMap { body -> (seq: UInt64, user: String)? in
      guard case .reversal(let reversal) = body else { return nil }
      return lines[reversal.key].map { ($0, reversal.user) }
    }
    for sink in sinks {
      let told = reversed.count {
        sink.wantsGrants(of: $0.user) && !sink.isWaiting($0.seq, of: $0.user)
      }
      impact.told.append((sink.name, told))
    }
    return impact
  }
}

/// A selection of grants: those that meet every condition that is set.
package struct GrantSelection: Sendable, Equatable {
  /// The keys.
  package var keys: Set<String>?
  /// The version of the rules that gave the grants.
  package var rules: String?
  /// The user-local days.
  package var days: ClosedRange<Day>?
  /// The missions, or `login`, `level`, `manual` or `waived`.
  package var missions: Set<String> = []
  /// The users.
  package var users: Set<String> = []

  /// Creates a selection of all grants.
  package init() {}

  /// The users whose grants are selected; nil when they may be anyone's. Every key begins with its user.
  fileprivate var usersConcerned: Set<String>? {
    if !users.isEmpty { return users }
    return keys.map { Set($0.map { GrantKey($0).user }) }
  }

  /// Whether a grant or an adjustment meets every condition; for an adjustment, the adjusted key counts.
  func includes(_ grant: GrantRecord) -> Bool {
    (keys?.contains(grant.baseKey) ?? true) && (rules.map { $0 == grant.rules } ?? true)
      && (days?.contains(grant.day) ?? true)
      && (missions.isEmpty || missions.contains(grant.mission))
      && (users.isEmpty || users.contains(grant.user))
  }
}
