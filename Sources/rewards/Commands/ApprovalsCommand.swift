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
      pardons, credit lines, opening balances and rules beyond the limits in the ledger;
      higher limits, new signers, and sources that may hand in more; and every broadcast. A
      second person approves one with rewards approve ID, or with the command that is shown:
      somebody with another account, or, where the ledger's limits say "by": "actor", with
      another --actor. Exits 1 while something waits.

      A person may also be an SSH key: "approval": {"signers": "allowed_signers"} names a file
      with a line NAME ssh-ed25519 BASE64 for each (ssh-keygen(1); ECDSA P-256 works too, RSA
      does not). Print what to sign with rewards approvals show ID > r.txt, sign it with
      ssh-keygen -Y sign -n rewards -f KEYFILE r.txt, and hand the signature in with rewards
      approve ID --signature r.txt.sig. Whoever asked then repeats the command. Once other
      signers count, what waits has to be printed and signed again.

      With "by": "signature", only signatures count: those of two people, because an account
      may be anybody's. That comes into force once the ledger holds the keys of two. If people
      share one account, configure both before the first rewards users import: later, other
      signers take two who may approve.
      """,
    arguments: [
      .init("show", isOptional: true, help: "print what whoever approves the request ID signs"),
      .init("ID", isOptional: true, help: "the request"),
    ],
    options: [
      .init("all", help: "also list approved and declined requests, the limits and the signers")
    ],
    examples: [
      .init("rewards approvals", "what waits, with the ids and who may approve"),
      .init("rewards approvals show 1f0c77aa90b2", "the exact bytes to sign"),
      .init("rewards approvals --all --format json", "who asked for what, and who approved it"),
    ])

  private struct Listed {
    let requests: [Shown]
    let limits: HandLimits
    let signers: [String]
  }

  private struct Shown {
    let id: String
    let mark: RequestMark
    /// Who may approve it; nil once somebody has.
    let missing: String?
  }

  private static let output = JSONMembers<Listed> {
    $0.list("requests", \.requests) {
      $0.add("id", \.id)
      $0.add("what", \.mark.what)
      $0.add("reason", \.mark.reason)
      $0.add("actor", \.mark.actor)
      $0.add("at", \.mark.at)
      $0.add("approver", \.mark.approver)
      $0.add("declined", \.mark.isDeclined)
      $0.add("used", \.mark.isUsed, "whether it was carried out")
      $0.add("missing", \.missing, "who may approve it; null once somebody has")
    }
    $0.map("limits", \.limits.numbers, "what one person may give alone, by the ledger")
    $0.add("by", \.limits.by.rawValue, "what distinguishes people: account, actor or signature")
    $0.add("signers", \.signers, "whose signatures count, by the ledger")
  }

  private static let toSign = JSONMembers<(id: String, text: String)> {
    $0.add("id", \.id)
    $0.add("text", \.text, "the exact text that whoever approves it signs, in UTF-8")
  }

  static var outputs: [JSONShape] { [output.shape, toSign.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let state = try await StateReading.read(
      LedgerReading.open(context.configuration().directory))
    if !arguments.arguments.isEmpty { return try show(arguments.arguments, state, in: context) }
    let limits = state.handLimits
    let requests = state.requests.all
      .filter { arguments.has("all") || $0.value.isWaiting }
      .sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
      .map { id, mark in
        Shown(
          id: id, mark: mark,
          missing: mark.isWaiting ? SecondActor.approvers(of: mark, limits) : nil)
      }
    let signers = state.signerNames
    context.report(Listed(requests: requests, limits: limits, signers: signers), as: output) {
      let inForce =
        arguments.has("all")
        ? "limits: \(limits)\nsigners: \(signers.isEmpty ? "none" : signers.joined(separator: ", "))\n"
        : ""
      if requests.isEmpty { return "nothing waits\n\(inForce)" }
      var table = TextTable(
        ["ID", "SINCE", "ASKED BY", "APPROVED BY", "WHAT", "REASON"],
        [.left, .left, .left, .left, .prose], last: .prose)
      for request in requests {
        let mark = request.mark
        table.add([
          request.id, mark.at.description, mark.actor,
          mark.isDeclined
            ? "declined" : mark.approver.map { $0 + (mark.isUsed ? ", done" : "") } ?? "-",
          mark.what, mark.reason,
        ])
      }
      return requests.reduce(table.text(context.style)) { text, request in
        guard let missing = request.missing else { return text }
        let line =
          limits.by == .signature
          ? "rewards approvals show \(request.id), then rewards approve \(request.id) --signature FILE"
          : ApprovalLine.text(request.id, request.mark)
        let lapsed =
          signers.isEmpty || request.mark.round == 1
          ? "" : "; what was signed before it was asked anew counts no more"
        return text + "\(request.id), requested by \(request.mark.actor), needs approval by "
          + "\(missing)\(lapsed)\n  \(line)\n"
      } + inForce
    }
    return state.requests.waiting.isEmpty ? .done : .attention
  }
  /// Prints what a signature of a request signs.
  private static func show(
    _ words: [String], _ state: LedgerState, in context: CommandContext
  ) throws -> ExitCode {
    guard words.count == 2, words[0] == "show" else {
      throw UsageError(
        cause: "expected show ID, or nothing", hint: "usage: rewards approvals [show ID]")
    }
    let id = words[1]
    guard let mark = state.requests.all[id] else {
      throw Failure(
        .badData, "nobody has requested this", place: id,
        remedy: "rewards approvals lists the requests.")
    }
    let text = String(decoding: mark.bytesToSign(id, ledger: state.signedLedger), as: UTF8.self)
    context.report((id, text), as: toSign) { text }
    return .done
  }
}
