import Configuration
import Described
import Failures
import Operations

/// A plan for all ledgers of a database in one file: one plan per ledger, one after another.
enum ShardedPlan {
  /// Returns the command line and the context for each ledger that a plan concerns; unchanged where that is only one.
  static func parts(
    of arguments: ParsedArguments, in context: CommandContext
  ) -> [(ParsedArguments, CommandContext)] {
    guard context.shards > 1 else { return [(arguments, context)] }
    let named = arguments.has("user")
    return (0..<context.shards).compactMap { number in
      let shardID = ShardID(number, of: context.shards)
      var own = arguments
      own.filter("user", where: shardID.holds)
      if named, own.values("user").isEmpty { return nil }
      var ownContext = context.with(shardID)
      ownContext.showsShard = true
      return (own, ownContext)
    }
  }

  /// Applies each part of a plan to its ledger. Throws before anything is written when the users are divided differently here, or when the
  /// parts together give more than `--max-points` allows. A failure at one ledger does not stop the others; the code is that of the worst.
  static func apply(
    _ file: String, _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    var parts: [(shardID: ShardID, plan: BackfillPlan, bytes: [UInt8])] = []
    for bytes in BackfillPlanFile.parts(of: try context.input(file)) {
      let plan: BackfillPlan
      do throws(BackfillPlanFile.Problem) {
        plan = try BackfillPlanFile.decode(bytes)
      } catch {
        throw error.failure.placed(at: file)
      }
      let shards = Set(plan.users.map { ShardID.number(of: $0.user, among: context.shards) })
      guard let shard = shards.first else { continue }
      guard shards.count == 1, !parts.contains(where: { $0.shardID.number == shard }) else {
        throw Failure(
          .badData, "the plan was made for another division of the users", place: file,
          remedy: "Make it again with --plan FILE.")
      }
      parts.append((ShardID(shard, of: context.shards), plan, bytes))
    }
    if let limit = try MaxPointsArgument.parse(arguments) {
      let points = parts.reduce(0) { $0 + $1.plan.pointsGiven }
      if points > limit {
        let refusal = BackfillApplication.Refusal.tooMuch(points: points, limit: limit)
        throw refusal.failure.placed(at: file)
      }
    }
    if parts.isEmpty {
      context.report(0, as: JSONMembers { $0.add("appended") { $0 } }) {
        "the plan is empty: there is nothing to do\n"
      }
    }
    var codes: [ExitCode] = []
    for part in parts {
      var own = context.with(part.shardID)
      own.showsShard = true
      let (code, failure) = await ShardedCommand.attempt(at: part.shardID) { [own] in
        try await BackfillApplyCommand.carryOut(
          BackfillApplyCommand.request(part.bytes, of: file, arguments), in: own)
      }
      failure.map(context.complain)
      codes.append(code)
    }
    return ShardedCommand.worst(of: codes) ?? .done
  }
}

/// The option that limits how many points a plan may give.
enum MaxPointsArgument {
  /// Returns the number; nil if none is given. Throws if it is not a number.
  static func parse(_ arguments: ParsedArguments) throws -> Int64? {
    try arguments.value("max-points").map {
      Int64(try NumberArgument.parse($0, place: "--max-points", in: 0...Int.max))
    }
  }
}
