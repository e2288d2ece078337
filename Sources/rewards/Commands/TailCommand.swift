import CivilTime
import Configuration
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling

/// Shows records as they are committed.
struct TailCommand: Command {
  static let spec = CommandSpec(
    "tail", "show records as they are committed", shards: .one,
    details: """
      Reads the ledger up to its last seal again and again, whether or not a service writes
      it, until you interrupt it. With --format json it prints records as they are in the
      ledger, otherwise sequence, time, type, user and key. To continue after an
      interruption, pass the last number as --after.
      """,
    options: [
      .init("user", "USER", repeats: true, help: "records that name this user"),
      .init("type", "TYPE", repeats: true, help: "records of this type, such as grant or close"),
      .init("after", "SEQ", help: "begin after this record (default: the last one)"),
      .init("count", "N", help: "stop after this many records"),
    ],
    examples: [
      .init("rewards tail", "everything from now on"),
      .init("rewards tail --user 4711 --type grant", "what a user is granted"),
      .init("rewards tail --after 120 --format json", "every record after the 120th"),
    ])

  private static let everySeconds = 0.5

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let tail = try LedgerTailing(
      try context.configuration().directory, selection: selection(arguments),
      after: try number("after", arguments).map { UInt64($0) })
    var left = try number("count", arguments) ?? .max
    let isJSON = context.options.format == .json
    while left > 0, !context.environment.output.isBroken {
      for line in try await tail.next().prefix(left) {
        context.environment.output.write(isJSON ? line.bytes : Array(text(line).utf8))
        left -= 1
      }
      if left == 0 { break }
      context.environment.clock.beginWork()
      defer { context.environment.clock.endWork() }
      do {
        try await context.environment.clock.sleep(seconds: everySeconds)
      } catch {
        break
      }
    }
    return .done
  }

  private static func text(_ line: LedgerTailing.Line) -> String {
    let record = line.record
    var words = ["\(record.seq)", record.at.description, record.body.type.rawValue]
    if let user = record.body.user { words.append(user) }
    switch record.body {
    case .grant(let grant):
      words.append("\(grant.key) \(grant.reward.points) points \(grant.reward.exp) exp")
    case .reversal(let reversal): words.append(reversal.key)
    case .streak(let streak): words.append("\(streak.day) \(streak.what.rawValue)")
    case .close(let close): words.append("\(close.zone) \(close.window.day)")
    case .run(let run): words.append("\(run.job) \(run.outcome)")
    default: break
    }
    return words.joined(separator: "  ") + "\n"
  }

  private static func selection(
    _ arguments: ParsedArguments
  ) throws(Failure) -> LineSelection {
    var selection = LineSelection()
    selection.users = Set(arguments.values("user"))
    selection.types = try RecordTypeArgument.parse(arguments)
    return selection
  }

  private static func number(
    _ name: String, _ arguments: ParsedArguments
  ) throws(Failure) -> Int? {
    guard let text = arguments.value(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw Failure(.usage, "expected a whole number", place: "--\(name)")
    }
    return number
  }
}
