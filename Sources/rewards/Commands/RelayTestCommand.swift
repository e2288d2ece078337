import Described
import Failures
import NotificationRelay
import Operations
import StrictJSON

/// Sends one test event to a sink.
struct RelayTestCommand: Command {
  static let spec = CommandSpec(
    "relay test", "try a sink and show the answer", shards: .first,
    details: """
      A webhook, a file and a push service are sent one event of the type
      com.cheer-supports.relay.test.v1, signed as all are. Of the app's store one document
      is read, and nothing is written. Nothing is recorded, and no ledger is needed. Exits
      69 if the event did not arrive.
      """,
    arguments: [.init("SINK", help: "the sink's name")],
    examples: [.init("rewards relay test notify", "check the secret and the address")])

  /// How much of an answer is shown, in bytes.
  private static let shownBytes = 1_024

  private static let output = JSONMembers<
    (
      sink: String, event: String, delivered: Bool, outcome: String, answer: String
    )
  > {
    $0.add("sink", \.sink)
    $0.add("event", \.event)
    $0.add("delivered", \.delivered)
    $0.add("outcome", \.outcome)
    $0.add("answer", \.answer)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let name = arguments.arguments[0]
    let result = try await RelayTest(
      try context.configuration(), context.runtimeEnvironment("rewards relay test")
    ).run(name)
    let (arrived, words) = verdict(result.outcome)
    let answer = String(decoding: result.answer.prefix(shownBytes), as: UTF8.self)
    context.report((name, result.event.id, arrived, words, answer), as: output) {
      "\(name): \(words)\n\(answer.isEmpty ? "" : plain(answer) + "\n")"
    }
    return arrived ? .done : .unavailable
  }

  private static func verdict(_ outcome: DeliveryOutcome) -> (Bool, String) {
    switch outcome {
    case .delivered(let status): (true, "delivered" + (status.map { ", HTTP \($0)" } ?? ""))
    case .failed(let failure): (false, "failed: \(failure.reason)")
    case .refused(let reason, _), .gone(let reason), .unavailable(let reason):
      (false, "failed: \(reason)")
    case .postponed(let until): (true, "not before \(until)")
    case .notWanted: (true, "nobody is to be told")
    }
  }

  /// Returns a receiver's text without control characters, which must not reach the terminal.
  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          scalar.properties.generalCategory == .control ? " " : scalar
        }))
  }
}
