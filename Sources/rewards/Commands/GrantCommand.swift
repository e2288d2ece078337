import Digests
import Failures
import Ledger
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Gives a user something by hand.
struct GrantCommand: WritingCommand {
  private static let most = 1_000_000_000

  static let spec = CommandSpec(
    "grant", "give a user something by hand",
    details: """
      Counts for the day that runs at the user's, stands under USER/manual/ID, and is audited and delivered
      as every grant. Exp may lift levels. Limits do not hold it back. What was given by mistake is taken
      back by rewards reverse.

      More than approval.pointsByHand (10,000), expByHand or coinsByHand is refused and recorded: somebody
      else, another account or another --actor, repeats the command with --approve ID.

      The same gift with the same reason is given once, however often the command is repeated: give it an
      --id of its own when a second one is meant.
      """,
    arguments: [.init("USER", help: "the user's id")],
    options: [
      .init("points", "N", help: "shop points"),
      .init("exp", "N", help: "exp"),
      .init("coins", "N", help: "cheer coins"),
      .init("item", "CATEGORY/ITEM", repeats: true, help: "an item of the catalogue"),
      .init("reason", "TEXT", isRequired: true, help: "why, for whoever reads the ledger"),
      ActorArgument.option, ApprovalArgument.option,
      .init("id", "ID", help: "what tells this grant from others (default: from gift and reason)"),
    ],
    examples: [
      .init(
        "rewards grant 4711 --points 100 --reason \"prize of the autumn cup\"", "100 points, once"),
      .init(
        "rewards grant 4711 --exp 50 --item fontColor/red --reason \"support case 77\" --id case-77",
        "with a name of its own"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    let reason = try ReasonArgument.parse(arguments)
    let reward = try reward(arguments)
    guard reward.isSomething else {
      throw Failure(.usage, "a grant gives something: --points, --exp, --coins or --item")
    }
    let id = arguments.value("id") ?? id(of: reward, reason)
    guard UserID.isValid(id) else {
      throw Failure(
        .usage, "an id has 1 to 64 of the characters A-Z a-z 0-9 _ . -", place: "--id")
    }
    try runtime.requireConfirmedClock()
    let key = "\(user)/manual/\(id)"
    let actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
    let isGiven = await runtime.writer.read { state in
      state.ledger.account(of: user).map { $0.manualIDs.contains(id) || !$0.isPresent } ?? true
    }
    if !isGiven {
      try await runtime.secondActor.admit(
        .gift(reward, under: key, reason: reason), reward.amounts,
        approving: arguments.value("approve"), actor: actor)
    }
    let counts = try await GiftByHand(runtime.writer).give(
      reward, to: user, id: id, reason: reason, actor: actor)
    let before =
      counts.appended > 0 ? nil : try await LedgerReading.grant(key, of: user, runtime.directory)
    if let given = before?.grant.reward,
      (given.points, given.baseExp, given.coins) != (reward.points, reward.baseExp, reward.coins)
        || given.items.sorted() != reward.items
    {
      throw Failure(
        .badData, "something else was given under this id: \(given.text)", place: key,
        remedy: "Nothing was appended. Give another --id for another gift.")
    }
    context.report {
      counts.appended == 0
        ? before?.isTakenBack == true
          ? "\(key) was given and taken back: nothing was appended; rewards reverse \(key) --undo gives it again\n"
          : "\(key) was given before: nothing was appended\n"
        : "\(key) given; \(counts.appended) records appended\n"
    } json: { json in
      json.member("key", key)
      json.member("appended", counts.appended)
      json.member("points", counts.points)
      json.member("exp", counts.exp)
    }
    return .done
  }

  private static func reward(_ arguments: ParsedArguments) throws -> Reward {
    func amount(_ name: String) throws -> Int64 {
      try arguments.value(name).map {
        Int64(try NumberArgument.parse($0, place: "--\(name)", in: 0...most))
      } ?? 0
    }
    var reward = Reward()
    for unit in RewardUnit.allCases { reward.amounts[unit] = try amount(unit.rawValue) }
    reward.baseExp = reward.exp
    reward.items = Set(arguments.values("item")).sorted()
    return reward
  }

  /// The same for the same gift and reason, so that a repeated command gives nothing twice.
  private static func id(of reward: Reward, _ reason: String) -> String {
    let text =
      "\(reward.points) \(reward.exp) \(reward.coins) \(reward.items.joined(separator: " ")) \(reason)"
    return String(SHA256.digest(of: Array(text.utf8)).description.prefix(12))
  }
}
