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
      What one person may not do alone is recorded and waits: grant, release, reverse, plans,
      credit lines and opening balances beyond what "approval" of the configuration allows,
      and every broadcast. A second person approves one with the command that is shown, the
      same as requested with --approve ID: somebody with another account, or, where the
      ledger's limits say "by": "actor", with another --actor. Exits 1 while something waits.
      """,
    options: [.init("all", help: "also list approved requests")],
    examples: [
      .init("rewards approvals", "what waits, with the ids and who may approve"),
      .init("rewards approvals --all --format json", "who asked for what, and who approved it"),
    ])

  private struct Shown {
    let id: String
    let mark: RequestMark
    /// Who may approve it; nil once somebody has.
    let missing: String?
  }

  private static let output = JSONMembers<[Shown]> {
    $0.list("requests", { $0 }) {
      $0.add("id", \.id)
      $0.add("what", \.mark.what)
      $0.add("reason", \.mark.reason)
      $0.add("actor", \.mark.actor)
      $0.add("at", \.mark.at)
      $0.add("approver", \.mark.approver)
      $0.add("missing", \.missing, "who may approve it; null once somebody has")
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let state = try await StateReading.read(
      LedgerReading.open(context.configuration().directory))
    let by = state.handLimits.by
    let requests = state.requests.all
      .filter { arguments.has("all") || $0.value.approver == nil }
      .sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
      .map { id, mark in
        Shown(
          id: id, mark: mark,
          missing: mark.approver == nil ? SecondActor.approvers(of: mark, by: by) : nil)
      }
    context.report(requests, as: output) {
      if requests.isEmpty { return "nothing waits\n" }
      var table = TextTable(
        ["ID", "SINCE", "ASKED BY", "APPROVED BY", "WHAT", "REASON"],
        [.left, .left, .left, .left, .prose], last: .prose)
      for request in requests {
        let mark = request.mark
        table.add([
          request.id, mark.at.description, mark.actor, mark.approver ?? "-", mark.what, mark.reason,
        ])
      }
      return requests.reduce(table.text(context.style)) { text, request in
        guard let missing = request.missing else { return text }
        let line = ApprovalLine.text(request.id, request.mark)
        return text + "\(request.id), requested by \(request.mark.actor), needs approval by "
          + "\(missing)\n  \(line)\n"
      }
    }
    return state.requests.waiting.isEmpty ? .done : .attention
  }
}
