import CivilTime
import Failures
import Foundation
import Foundations
import Operations
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// What one account asks for, another one approves.
@Suite(.offThePool) struct TwoPeopleTests {
  /// The commands whose JSON output is held against its schema here.
  static let commands: Set = ["approve"]

  private static let noon = "2026-11-20T12:00:00Z"

  /// A folder with a ledger of one user.
  private struct Place {
    let folder: TemporaryFolder

    init(rules: [String] = []) async throws {
      folder = try TemporaryFolder()
      _ = try folder.write("users.jsonl", #"{"user":"ann","timezone":"UTC"}"#)
      try configure("{}", rules: rules)
      let code = await run(
        "alice", "users", "import", "\(folder.path)/users.jsonl"
      ).code
      if code != .done { throw Failure(.internalError, "the users were not imported") }
    }

    func configure(_ approval: String, rules: [String] = [], sources: String = "{}") throws {
      let files = rules.map { "\"\(folder.path)/\($0)\"" }.joined(separator: ",")
      _ = try folder.write(
        "rewards.json",
        #"{"data":"./data","drawSecret":{"env":"SECRET"},"approval":\#(approval),"rules":[\#(files)],"sources":\#(sources)}"#
      )
    }

    func run(_ account: String, _ words: String...) async -> (
      code: ExitCode, output: String, errors: String
    ) {
      await run(account, words: words)
    }

    func run(_ account: String, words: [String]) async -> (
      code: ExitCode, output: String, errors: String
    ) {
      let (output, errors) = (BufferSink(), BufferSink())
      var environment = ProgramEnvironment(
        variables: ["SECRET": "0123456789abcdef"], output: output, errors: errors,
        clock: FixedClock(at: Instant(seconds: 1_795_176_000)), zones: SystemZones(directory: nil),
        readInput: { _ in [] })
      environment.account = account
      let code = await Program(environment: environment).run(
        words + ["--config", "\(folder.path)/rewards.json", "--now", TwoPeopleTests.noon])
      return (
        code, String(decoding: output.bytes, as: UTF8.self),
        String(decoding: errors.bytes, as: UTF8.self)
      )
    }

    /// The id of the only request that waits.
    func waiting() async throws -> String? {
      let shown = await run("alice", "approvals", "--format", "json").output
      let requests = try JSONNode.parse(Array(shown.utf8))["requests"]?.elements ?? []
      return requests.count == 1 ? requests[0]["id"]?.string : nil
    }
  }

  @Test func moreForOnePersonTakesTwo() async throws {
    let place = try await Place()
    let gift = ["grant", "ann", "--points", "40000", "--reason", "cup"]
    try place.configure(#"{"pointsByHand":50000}"#)
    #expect(
      await place.run("alice", "grant", "ann", "--points", "1", "--reason", "r").code == .done)
    let id = try #require(await place.waiting())
    #expect(await place.run("alice", "approvals").output.contains("rewards approve \(id)"))
    #expect(await place.run("alice", "doctor").output.contains("the request \(id)"))
    // Nobody knows who wrote the file: the first person makes the request theirs.
    let own = await place.run("alice", "approve", id)
    #expect(own.code == .done && own.output.contains("another person must approve it"))
    let again = await place.run("alice", "approve", id)
    #expect(again.code == .permission && again.errors.contains("cannot approve it too"))
    #expect(await place.run("alice", words: gift).code == .permission)
    let approved = await place.run("bob", "approve", id, "--format", "json")
    #expect(approved.code == .done, "\(approved.errors)")
    let flaws = SchemaChecker().flaws(
      try JSONNode.parse(Array(approved.output.utf8)), try SchemaCatalogue.node(of: "approve"))
    #expect(flaws == [])
    #expect(await place.run("alice", words: gift).code == .done)
    // Carried out, it cannot be approved again, and less counts at once.
    #expect(await place.run("bob", "approve", id).code == .permission)
    try place.configure("{}")
    #expect(
      await place.run("bob", "grant", "ann", "--points", "10001", "--reason", "r").code
        == .permission)
    let audit = await place.run("bob", "audit")
    #expect(audit.output.contains("passed    15"), "\(audit.output)")
  }

  /// Until it is agreed on, a generous document stops nobody; then it is in use.
  @Test func generousRulesTakeTwo() async throws {
    let place = try await Place()
    _ = try place.folder.write(
      "rules.json",
      #"{"version":"winter-7","effectiveFrom":"2026-11-25","missions":{"share":{"points":1}},"levels":{"caps":[200],"rewards":{"2":{"coins":20000}}}}"#
    )
    try place.configure("{}", rules: ["rules.json"])
    let first = await place.run("alice", "grant", "ann", "--points", "1", "--reason", "r")
    #expect(first.code == .done && first.errors.contains("this takes two people"), "\(first)")
    #expect(
      !(await place.run("alice", "ledger", "export", "--type", "rules").output.contains("winter-7"))
    )
    let id = try #require(await place.waiting())
    #expect(await place.run("bob", "approve", id).output.hasPrefix("requested by bob"))
    #expect(await place.run("alice", "approve", id).output.contains("in use: rules winter-7"))
    #expect(
      await place.run("alice", "ledger", "export", "--type", "rules").output.contains("winter-7"))
    let audit = await place.run("bob", "audit")
    #expect(audit.output.contains("passed    15"), "\(audit.output)")
  }

  /// Until two people agree on a new source, its files wait; until they agree on more, the old limit counts.
  @Test(arguments: [false, true]) func sourcesTakeTwo(isKnown: Bool) async throws {
    let place = try await Place()
    for most in isKnown ? [100, 1_000] : [100] {
      try place.configure(
        "{}", sources: #"{"shop":{"credits":["exp"],"perLine":{"exp":\#(most)}}}"#)
      #expect(await place.run("alice", "reconcile").errors.contains("this takes two people"))
      let id = try #require(await place.waiting())
      #expect(await place.run("bob", "doctor").output.contains("the request \(id)"))
      _ = try place.folder.write(
        "data/inbox/shop/incoming/1.jsonl",
        #"{"user":"ann","kind":"credit","at":"2026-11-20T11:00:00Z","id":"\#(most)","exp":90}"#)
      let early = await place.run("alice", "reconcile")
      #expect(
        (early.output + early.errors).contains("the ledger does not allow yet") == (most == 100))
      #expect(await place.run("bob", "approve", id).output.hasPrefix("requested by bob"))
      #expect(await place.run("alice", "approve", id).output.contains("in use: sources shop: "))
      _ = await place.run("alice", "reconcile")
    }
    let exported = await place.run("bob", "ledger", "export", "--type", "credit").output
    #expect(exported.split(separator: "\n").count == (isKnown ? 2 : 1), "\(exported)")
    let audit = await place.run("bob", "audit")
    for check in ["passed    9 ", "passed    15 "] {
      #expect(audit.output.contains(check), "\(audit.output)")
    }
  }

  /// What a second person has approved, whoever asked repeats, once.
  @Test func anApprovalCountsOnce() async throws {
    let place = try await Place()
    let gift = ["grant", "ann", "--points", "40000", "--reason", "cup"]
    #expect(await place.run("alice", words: gift).code == .permission)
    let id = try #require(await place.waiting())
    #expect(await place.run("bob", "approve", "0123").code == .badData)
    let approved = await place.run("bob", "approve", id)
    #expect(approved.output.contains("now, once: rewards grant ann --points 40000"), "\(approved)")
    #expect(await place.run("alice", words: gift).code == .done)
    #expect(await place.run("bob", "approve", id).code == .permission)
    #expect(await place.run("alice", words: gift + ["--id", "second"]).code == .permission)
    let audit = await place.run("bob", "audit")
    #expect(audit.output.contains("passed    15"), "\(audit.output)")
  }

  @Test func whatIsDeclinedWaitsNoLonger() async throws {
    let place = try await Place()
    let gift = ["grant", "ann", "--points", "40000", "--reason", "cup"]
    #expect(await place.run("alice", words: gift).code == .permission)
    let id = try #require(await place.waiting())
    let declined = await place.run("bob", "approve", id, "--decline", "a typo")
    #expect(declined.code == .done && declined.output.hasPrefix("declined by bob: grant ann"))
    #expect(await place.run("bob", "approvals").code == .done)
    #expect(await place.run("bob", "approve", id, "--decline", "a typo").code == .permission)
    #expect(await place.run("bob", words: gift + ["--approve", id]).code == .permission)
    #expect(try await place.waiting() == id)
    #expect(await place.run("alice", words: gift + ["--approve", id]).code == .done)
  }

  /// The configuration asks again for what it still says, but not for what somebody declined.
  @Test func whatTheConfigurationAsksForCanBeDeclined() async throws {
    let place = try await Place()
    let gift = ["grant", "ann", "--points", "1", "--reason", "r"]
    try place.configure(#"{"pointsByHand":50000}"#)
    #expect(await place.run("alice", words: gift).code == .done)
    let id = try #require(await place.waiting())
    #expect(await place.run("bob", "approve", id, "--decline", "no").code == .done)
    #expect(await place.run("alice", words: gift + ["--id", "2"]).code == .done)
    #expect(await place.run("bob", "approvals").code == .done)
    #expect(await place.run("bob", "approve", id).output.hasPrefix("requested by bob"))
    try place.configure("{}")
    #expect(await place.run("alice", "approve", id).code == .usage)
  }

  @Test func signaturesNeedSigners() async throws {
    let place = try await Place()
    _ = try place.folder.write("allowed_signers", "bob ssh-ed25519 AAAA\n")
    try place.configure(
      #"{"by":"signature","signers":"\#(place.folder.path)/allowed_signers"}"#)
    let first = await place.run("alice", "grant", "ann", "--points", "1", "--reason", "r")
    #expect(first.code == .done, "\(first.errors)")
    #expect(first.errors.contains("the signers could not be read"), "\(first.errors)")
    #expect(first.errors.contains("no two signers"), "\(first.errors)")
  }
}
