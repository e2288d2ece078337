import Configuration
import Failures
import Foundations
import Ledger
import RewardRules
import SSHSignatures
import Scheduling

/// What the configuration proposes to the ledger: limits, signers, sources and rules.
extension Runtime {
  /// Records the limits of one person, the sources, and the rules that the ledger does not hold yet. Call it once, when the clock is known to be right.
  package func recordRules() async throws {
    markClock()
    try await propose(rules, by: environment.actor)
  }

  /// Reads the rules again and records what the configuration proposes; see ``recordRules()``.
  @discardableResult
  func proposeConfigured(by actor: String) async throws -> Int {
    try await propose(loadRules(), by: actor)
  }

  /// Reads the configured rules. Reads them anew each time, because an operator corrects a file whose rules were refused.
  func loadRules() async throws -> [RulesDocument] {
    try await BlockingThread(named: "rewards.rules").run { [configuration] in
      try RulesFiles.load(configuration).map(\.document)
    }
  }

  /// Records the configured limits, signers and sources, and these documents, unless they wait for two people. Returns how many documents
  /// are new.
  @discardableResult
  private func propose(_ documents: [RulesDocument], by actor: String) async throws -> Int {
    let use = LimitsUse(writer)
    try await proposeSigners(with: use, by: actor)
    if let id = try await proposeLimits(with: use, by: actor) {
      let inForce = await writer.read { $0.ledger.handLimits }
      warn(of: "\"approval\" allows one person more than the ledger does: \(inForce)", id)
    }
    if let id = try await use.propose(configuration.sources.map(\.terms), by: actor) {
      warn(of: "\"sources\" may hand in more than the ledger allows them", id)
    }
    let rules = try await RulesUse(writer).record(documents, by: actor)
    for (id, excess) in rules.waiting.sorted(by: { $0.key < $1.key }) {
      warn(of: "rules \(excess)", id)
    }
    return rules.added
  }

  /// Proposes the configured signers. Fewer than two people are not proposed where only signatures count: nothing could be approved after that.
  private func proposeSigners(with use: LimitsUse, by actor: String) async throws {
    guard let text = await readableSigners() else { return }
    let (signers, now) = (AllowedSigners(Array(text.utf8)), clock.now())
    if await writer.read({ $0.ledger.handLimits.by }) == .signature, signers.people(at: now) < 2 {
      environment.log.warning(
        "the configured signers are not two people; those of the ledger stay",
        ["remedy": .text("name the keys of two people in approval.signers, better of three")])
      return
    }
    guard let id = try await use.propose(signers: text, by: actor) else { return }
    warn(of: "the signers are not those of the ledger", id)
    for line in signers.unused {
      environment.log.warning("a signer cannot sign here", ["cause": .text("\(line)")])
    }
  }

  /// Returns the configured file of signers; nil if none is, or if it cannot be read, which is logged.
  private func readableSigners() async -> String? {
    do {
      return try await configuration.readSigners()
    } catch {
      environment.log.warning(
        "the signers could not be read; those of the ledger stay", ["cause": .text("\(error)")])
      return nil
    }
  }

  /// Proposes the configured limits. That only signatures count is proposed once two people can sign: before that, nothing could ever be
  /// approved.
  private func proposeLimits(with use: LimitsUse, by actor: String) async throws -> String? {
    let now = clock.now()
    if configuration.approval.by == .signature,
      await writer.read({ $0.ledger.allowedSigners.people(at: now) }) < 2
    {
      environment.log.warning(
        "\"approval\" asks for signatures, but the ledger has no two signers; its limits stay",
        ["remedy": .text("name a file with the keys of two people in approval.signers")])
      return nil
    }
    return try await use.propose(configuration.approval, by: actor)
  }

  private func warn(of what: String, _ id: String) {
    environment.log.warning(
      "this takes two people, and waits",
      ["what": .text(what), "remedy": .text("rewards approvals says who may approve \(id)")])
  }
}

extension Configuration {
  /// The largest file of signers.
  private static let signersLimitBytes = 256 << 10

  /// Returns the configured file of signers; nil if none is. Throws ``Failures/Failure`` if it has mistakes.
  func readSigners() async throws -> String? {
    guard let path = signers else { return nil }
    let bytes = try await BlockingThread(named: "rewards.signers").run {
      try files.readInput(path, limitBytes: Self.signersLimitBytes)
    }
    if let problem = AllowedSigners(bytes).problems.first {
      throw Failure(.badData, "\(problem)", place: path)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
