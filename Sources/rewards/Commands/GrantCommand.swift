import Described
import Digests
import Failures
import Ledger
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Grants a user something by hand.
struct GrantCommand: RequestingCommand {
  static let spec = CommandSpec(
    "grant", "give a user points, exp, coins or items by hand",
    details: """
      The grant belongs to the user's running day, has the key USER/manual/ID, and is
      audited and delivered like every grant. Exp may raise the level. Limits do not hold it
      back. To take back a mistake, use rewards reverse.

      More than approval.pointsByHand (10,000), expByHand or coinsByHand is refused and
      recorded: a second person repeats the command with --approve ID. Pass --actor with the
      request already: without a name, only another account can approve it.

      The same gift with the same reason is granted once, however often you repeat the
      command. To give it again, pass another --id.
      """,
    arguments: [.user()],
    options: RewardUnit.allCases.map {
      .init($0.rawValue, "N", help: "give N \($0.title)")
    } + [
      .init("item", "CATEGORY/ITEM", repeats: true, help: "give an item of the catalogue"),
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"),
      ActorArgument.option, ApprovalArgument.option,
      .init(
        "id", "ID", help: "distinguishes this grant from others (default: made of gift and reason)"),
    ],
    examples: [
      .init(
        "rewards grant 4711 --points 100 --reason \"prize of the autumn cup\"", "100 points, once"),
      .init(
        "rewards grant 4711 --exp 50 --item fontColor/red --reason \"case 77\" --id case-77",
        "exp and an item, under an id of your own"),
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> GiftRequest {
    GiftRequest(
      of: try reward(arguments), to: arguments.arguments[0], id: arguments.value("id"),
      reason: arguments.required("reason"), actor: arguments.value("actor"),
      approving: arguments.value("approve"))
  }

  private static let output = JSONMembers<GiftRequest.Report> {
    $0.add("key", \.key)
    $0.add("appended", \.counts.appended)
    $0.include(\.counts.amounts)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ report: GiftRequest.Report, of request: GiftRequest, in context: CommandContext
  ) -> ExitCode {
    let (key, counts) = (report.key, report.counts)
    context.report(report, as: output) {
      counts.appended == 0
        ? report.isTakenBack
          ? "\(key) was given and taken back: nothing was appended; rewards reverse \(key) --undo gives it again\n"
          : "\(key) was given before: nothing was appended\n"
        : "\(key) given; \(counts.appended) records appended\n"
    }
    return .done
  }

  private static func reward(_ arguments: ParsedArguments) throws -> Reward {
    func amount(_ name: String) throws -> Int64 {
      try arguments.value(name).map {
        if let number = Int64($0), number < 0 {
          throw Failure(
            .usage, "a grant only gives: \(number) is below zero", place: "--\(name)",
            remedy: "Take a grant back with rewards reverse KEY.")
        }
        return Int64(
          try NumberArgument.parse($0, place: "--\(name)", in: 0...Int(GiftRequest.most)))
      } ?? 0
    }
    var reward = Reward()
    for unit in RewardUnit.allCases { reward.amounts[unit] = try amount(unit.rawValue) }
    reward.baseExp = reward.exp
    reward.items = Set(arguments.values("item")).sorted()
    return reward
  }
}
