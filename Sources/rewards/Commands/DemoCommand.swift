import Described
import Failures
import StrictJSON

/// Runs the whole system on one machine against a simulated API.
struct DemoCommand: Command {
  static let spec = CommandSpec(
    "demo", "run the whole system on one machine; needs no configuration", shards: .none,
    details: """
      Runs a simulated API with users in many zones, a receiver of events and a clock that
      passes the days in under a minute, among them a change of the clocks and an outage. It
      leaves its data, a rewards.json and an audit page in the folder, and lists ten commands
      to try there: they follow a user whom the outage cost something, through the repair.

      The same options write the same ledger and events, byte for byte, whenever you run it
      with the same program and time zones. These differ: ports in rewards.json, the process
      in data/lock, and the times of the log on standard error.
      """,
    options: [
      .init("users", "N", help: "simulate this many users (default: 150)"),
      .init("days", "N", help: "simulate this many days (default: 14)"),
      .init("seed", "N", help: "the same seed gives the same ledger (default: 1)"),
      .init("poll-minutes", "N", help: "poll each user at this interval (default: 60)"),
      .init("restarts", "N", help: "restart the service this many times (default: 2)"),
    ],
    examples: [
      .init("rewards demo", "two weeks of 150 users, in ./demo"),
      .init(
        "rewards demo --data /tmp/year --users 200 --days 365 --poll-minutes 360 --restarts 40",
        "a year in several dozen zones, with a service that restarts often"),
      .init(
        "rewards demo --data /tmp/world --users 1000 --days 30 --seed 7",
        "a bigger world in another folder"),
    ])

  static var outputs: [JSONShape] { [DemoText.output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    var options = DemoWorld.Options()
    if let folder = context.options.data { options.folder = folder }
    if let text = arguments.value("users") {
      options.users = Int(try NumberArgument.parse(text, place: "--users", in: 1...100_000))
    }
    if let text = arguments.value("days") {
      options.days = Int(try NumberArgument.parse(text, place: "--days", in: 2...366))
    }
    if let text = arguments.value("seed") {
      options.seed = UInt64(try NumberArgument.parse(text, place: "--seed", in: 0...Int.max))
    }
    if let text = arguments.value("restarts") {
      options.restarts = try NumberArgument.parse(text, place: "--restarts", in: 0...1_000)
    }
    if let text = arguments.value("poll-minutes") {
      options.pollMinutes = try NumberArgument.parse(text, place: "--poll-minutes", in: 1...1_440)
    }
    if context.options.format == .text { context.remark(DemoText.announcement(of: options)) }
    let world = DemoWorld(options)
    let bar = context.progress("living \(options.days) days", total: 1)
    let thread = await context.environment.takeOneThread()
    let demo = Demo(world: world, context: context, thread: thread)
    let outcome = try await demo.run { done, total in bar.update(done: done, of: total) }
    bar.finish()
    context.report((outcome, world, context.environment.program), as: DemoText.output) {
      DemoText.text(
        of: outcome, world, program: context.environment.program, context.style)
    }
    return outcome.isClean ? .done : .attention
  }
}
