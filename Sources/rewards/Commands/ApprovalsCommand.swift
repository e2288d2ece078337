import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Shows requests that wait for a second person.
struct ApprovalsCommand: Command {
  static let spec = CommandSpec(
    "approvals", "what is too much for one person and waits for a second one",
    details: """
      grant, release, reverse and its plans, and credit lines beyond the amounts in "approval" of the
      configuration are recorded and wait. Somebody else, another account or another --actor, repeats the
      same command with --approve ID. APPROVED BY says who that may not be. Exits 1 when something waits.
      """,
    options: [.init("all", help: "also what was approved")],
    examples: [
      .init("rewards approvals", "what waits, with its ids"),
      .init("rewards approvals --all --format json", "who asked for what, and who agreed"),
    ])

  private static let output = JSONMembers<[(key: String, value: RequestMark)]> {
    $0.list("requests", { $0 }) {
      $0.add("id", \.key)
      $0.add("what", \.value.what)
      $0.add("reason", \.value.reason)
      $0.add("actor", \.value.actor)
      $0.add("at", \.value.at)
      $0.add("approver", \.value.approver)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let state = try await StateReading.read(
      LedgerReading.open(context.configuration().directory))
    let requests = state.requests.all.filter { arguments.has("all") || $0.value.approver == nil }
      .sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
    context.report(requests, as: output) {
      if requests.isEmpty { return "nothing waits\n" }
      var table = TextTable(["ID", "SINCE", "ASKED BY", "APPROVED BY", "WHAT", "REASON"])
      for (id, request) in requests {
        table.add([
          id, request.at.description, request.actor, request.approver ?? "not \(request.actor)",
          request.what,
          request.reason,
        ])
      }
      return table.text
    }
    return state.requests.waiting.isEmpty ? .done : .attention
  }
}
