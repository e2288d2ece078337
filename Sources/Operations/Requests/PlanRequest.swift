package import Described
import Failures
import RewardRules
import Scheduling

/// Applies a plan that an operator has inspected: `rewards backfill --apply`.
package struct PlanRequest: Request {
  /// `backfill`.
  package static let name = "backfill"

  /// The path of the plan's file, as the caller knows it.
  private let file: String
  private let maxPoints: Int64?
  private let notifies: Bool
  private let actor: String?
  private let approving: String?
  /// The plan.
  package var input: [UInt8]

  /// Creates an application of the plan in `input`, from `file`. It is refused if it gives more than `maxPoints`; with
  /// `notifies`, each user is notified.
  package init(
    _ input: [UInt8], of file: String, maxPoints: Int64?, notifies: Bool, actor: String?,
    approving: String?
  ) {
    self.input = input
    self.file = file
    self.maxPoints = maxPoints
    self.notifies = notifies
    self.actor = actor
    self.approving = approving
  }

  /// The result of applying a plan.
  package struct Report: Sendable {
    /// The plan's id.
    package let id: String
    /// Whether the plan is empty.
    package let isEmpty: Bool
    /// The records appended.
    package let receipt: BackfillApplication.Receipt
  }

  /// Appends what the ledger does not yet hold of the plan.
  package func perform(at place: Place) async throws -> Report {
    if BackfillPlanFile.parts(of: input).count > 1 {
      throw Failure(
        .badData, "the file holds plans for several ledgers, but this is only one", place: file,
        remedy: "Apply it, without --shard, to the database whose shards it was made for.")
    }
    let plan: BackfillPlan
    do throws(BackfillPlanFile.Problem) {
      plan = try BackfillPlanFile.decode(input)
    } catch {
      throw error.failure.placed(at: file)
    }
    do {
      let receipt = try await BackfillApplication(place.runtime).apply(
        plan, .plan(plan), by: try place.actor(actor), approving: approving, maxPoints: maxPoints,
        notifies: notifies)
      return Report(id: plan.id, isEmpty: plan.users.isEmpty, receipt: receipt)
    } catch let refusal as BackfillApplication.Refusal {
      throw refusal.failure.placed(at: file)
    }
  }
}

extension PlanRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    file = try coder.field("file", value?.pointee.file)
    maxPoints = try coder.optional("maxPoints", value?.pointee.maxPoints)
    notifies = try coder.field("notify", value?.pointee.notifies)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
    input = []
  }
}
