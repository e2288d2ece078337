import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct ArgumentParserTests {
  private let parser = ArgumentParser(commands: CommandList.all)

  private func arguments(_ words: String...) throws -> ParsedArguments {
    guard case .command(_, let parsed) = try parser.parse(words) else { throw NoCommand() }
    return parsed
  }

  private struct NoCommand: Error {}

  /// A command line of several ledgers' users is divided among these.
  @Test func valuesAreLeftOutOfACommandLine() throws {
    var parsed = try arguments(
      "excuse", "--from", "2026-11-01", "--reason", "r", "--user", "a", "--user", "b")
    parsed.filter("user") { $0 == "b" }
    #expect(parsed.values("user") == ["b"] && parsed.value("reason") == "r")
  }

  @Test(arguments: [
    ([], "which command?"),
    (["--data", "d"], "which command?"),
    (["balanc", "1"], "unknown command \"balanc\"; did you mean \"balance\"?"),
    (["ledger", "verfy"], "unknown command \"ledger verfy\"; did you mean \"ledger verify\"?"),
    (["ledgr"], "unknown command \"ledgr\"; did you mean \"ledger\"?"),
    (["quux"], "unknown command \"quux\""),
    (
      ["ledger"],
      "\"ledger\" needs one of: verify, head, export, backup, restore, compact, import"
    ),
    (["help", "balanse"], "unknown command \"balanse\"; did you mean \"balance\"?"),
    (["balance", "1", "--formt", "json"], "unknown option --formt; did you mean \"--format\"?"),
    (["balance", "1", "--frmat=json"], "unknown option --frmat; did you mean \"--format\"?"),
    (["balance", "1", "-x"], "unknown option -x"),
    (["--zone", "UTC", "reconcile"], "unknown option --zone"),
    (["explain"], "USER is missing"),
    (["balance", "1", "2"], "\"2\" is one argument too many"),
    (["balance", "1", "--at"], "--at needs a value: show how it stood then"),
    (["balance", "1", "--at", "--config", "c.json"], "--at needs a value: show how it stood then"),
    (["balance", "1", "--at", "a", "--at", "b"], "--at is given twice"),
    (["reconcile", "--prove=yes"], "--prove takes no value"),
    (["version", "--", "--help"], "\"--help\" is one argument too many"),
  ])
  func refuses(words: [String], cause: String) {
    let error = #expect(throws: UsageError.self) { try parser.parse(words) }
    #expect(error?.cause == cause)
    #expect(error?.hint.isEmpty == false)
  }

  @Test(arguments: [
    "-05:00", "--prove", "=", "a=b", "", " ", "2026-11-20T00:00:00Z garbage", "\u{0661}", "-", "--",
  ])
  func valuesArriveUnchanged(value: String) throws {
    #expect(try arguments("balance", "1", "--at=\(value)").value("at") == value)
    #expect(try arguments("balance", "1", "--at", value).value("at") == value)
  }

  @Test func optionsMayStandAnywhere() throws {
    let parsed = try arguments("--data", "d", "balance", "--at", "t", "1", "--format=json")
    #expect(parsed.arguments == ["1"])
    #expect(parsed.value("data") == "d")
    #expect(parsed.value("at") == "t")
    #expect(parsed.value("format") == "json")
    #expect(parsed.value("now") == nil)
  }

  @Test func repeatedOptionsKeepTheirOrder() throws {
    let parsed = try arguments("reconcile", "--zone", "Asia/Tokyo", "--prove", "--zone=UTC")
    #expect(parsed.values("zone") == ["Asia/Tokyo", "UTC"])
    #expect(parsed.has("prove"))
    #expect(!parsed.has("confirm"))
  }

  @Test func twoDashesEndTheOptions() throws {
    #expect(try arguments("balance", "--", "--at").arguments == ["--at"])
    #expect(try arguments("ingest", "-").arguments == ["-"])
  }

  @Test(arguments: [["balance", "--help"], ["balance", "1", "-h", "--at"], ["help", "balance"]])
  func explainsACommand(words: [String]) throws {
    guard case .help(let spec, _) = try parser.parse(words) else {
      Issue.record("no help")
      return
    }
    #expect(spec.name == "balance")
  }

  /// What a former name stands for; no list shows it.
  @Test(arguments: [
    (["users", "find", "47"], "users find", "rewards users find is now rewards users list TEXT"),
    (["users", "show", "1"], "users show", "rewards users show is now rewards user ID"),
    (["blast", "--user", "1"], "blast", "rewards blast is now rewards reverse"),
    (["ledger", "stats"], "ledger stats", "rewards ledger stats is now rewards ledger verify"),
    (["user", "1"], "user", nil),
  ])
  func aFormerNameGoesOnWorking(words: [String], name: String, remark: String?) throws {
    guard case .command(let command, let parsed) = try parser.parse(words) else {
      throw NoCommand()
    }
    #expect(command.spec.name == name)
    #expect(parsed.remark == remark)
  }

  @Test(arguments: CommandList.former.map(\.name))
  func helpOfAFormerNameIsItsSuccessors(name: String) throws {
    let words = name.split(separator: " ").map { String($0) }
    let old = try #require(CommandList.former.first { $0.name == name })
    for line in [["help"] + words, words + ["--help"]] {
      guard case .help(let spec, _) = try parser.parse(line) else { throw NoCommand() }
      #expect(spec.name == old.successor.spec.name)
    }
    #expect(!CommandList.all.contains { $0.spec.name == name })
    #expect(!CommandsPage.text.contains("rewards \(name)"))
    #expect(!CompletionTable().steps.contains { $0.path == name })
  }

  @Test(arguments: [(["--help"], ""), (["help"], ""), (["ledger", "--help"], "ledger")])
  func listsCommands(words: [String], group: String) throws {
    guard case .overview(let found, _) = try parser.parse(words) else {
      Issue.record("no overview")
      return
    }
    #expect(found == group)
  }
}
