import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Shows requests that wait for a second person.
struct ApprovalsCommand: Command {
  static let spec = CommandSpec(
    "approvals", "list the requests that wait for a second person, and say who may approve them",
    isPaged: true,
    details: """
      grant, release, reverse, plans and credit lines beyond the amounts in "approval" of
      the configuration, and every broadcast, are recorded and wait. A second person approves one with the command
      that is shown, the same as requested with --approve ID: somebody with another account,
      or with another --actor where both name theirs. Exits 1 while something waits.
      """,
    options: [.init("all", help: "also list approved requests")],
    examples: [
      .init("rewards approvals", "what waits, with the ids and who may approve"),
      .init("rewards approvals --all --format json", "who asked for what, and who approved it"),
    ])

  private static let output = JSONMembers<[(key: String, value: RequestMark)]> {
    $0.list("requests", { $0 }) {
      $0.add("id", \.key)
      $0.add("what", \.value.what)
      $0.add("reason", \.value.reason)
      $0.add("actor", \.value.actor)
      $0.add("at", \.value.at)
      $0.add("approver", \.value.approver)
      $0.add("missing", { missing($0.value) }, "who may approve it; null once somebody has")
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
      var table = TextTable(
        ["ID", "SINCE", "ASKED BY", "APPROVED BY", "WHAT", "REASON"],
        [.left, .left, .left, .left, .prose], last: .prose)
      for (id, request) in requests {
        table.add([
          id, request.at.description, request.actor, request.approver ?? "-", request.what,
          request.reason,
        ])
      }
      return requests.reduce(table.text(context.style)) { text, request in
        text
          + (missing(request.value).map {
            "\(request.key), requested by \(request.value.actor), needs approval by \($0)\n"
              + "  \(ApprovalLine.text(request.key, request.value))\n"
          } ?? "")
      }
    }
    return state.requests.waiting.isEmpty ? .done : .attention
  }

  /// Returns who may approve a request; nil once somebody has.
  private static func missing(_ request: RequestMark) -> String? {
    request.approver == nil ? SecondActor.approvers(of: request) : nil
  }
}
