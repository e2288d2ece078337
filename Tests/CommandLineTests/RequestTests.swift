import CivilTime
import Configuration
import Described
import Failures
import Foundation
import Foundations
import Ledger
import LedgerStore
import Operations
import Scheduling
import TestSupport
import Testing

@testable import rewards

/// Requests on their way to the process that holds the ledger, and what it makes of those that nobody should have sent.
@Suite(.offThePool) struct RequestTests {
  private static let reason = ["--reason", "ein Grund, \"zitiert\""]

  /// A command line for each request.
  private static let lines: [[String]] = [
    ["grant", "u1", "--points", "5", "--item", "frame/gold", "--id", "x", "--approve", "a"]
      + reason,
    ["reverse", "u1/2026-11-20/gift", "--undo", "--below-zero"] + reason,
    ["release", "u1/2026-11-20/gift", "--actor", "Zoë"] + reason,
    ["backfill", "--apply", "/dev/null", "--max-points", "7", "--notify"],
    ["reconcile", "--day", "2026-11-20", "--zone", "Asia/Tokyo", "--user", "a", "--confirm"],
    ["excuse", "--outage", "2026-11-20T00:00:00Z..2026-11-20T01:00:00Z"] + reason,
    ["excuse", "--from", "2026-11-20", "--to", "2026-11-21", "--user", "a"] + reason,
    ["excuse", "--withdraw", "17"] + reason,
    ["excuse", "--withdraw", "9223372036854775807"] + reason,
    ["ingest", "/dev/null", "--after-restore", "--approve", "a"],
    ["users", "import", "/dev/null", "--actor", "me"],
    ["users", "remove", "u1"],
    ["users", "forget", "u1", "--actor", "me"] + reason,
    ["run", "/dev/null", "--due"],
    ["jobs", "pause", "nightly"] + reason,
    ["jobs", "resume", "nightly"],
    ["relay", "pause", "hook"] + reason,
    ["relay", "resume", "hook"],
    ["relay", "replay", "--from", "2026-11-20T00:00:00Z", "--to", "2026-11-21T00:00:00Z"],
    ["relay", "replay", "--dead", "--sink", "hook"],
    ["approve", "a"],
    ["relay", "broadcast", "--title", "Cup", "--body", "Zoë", "--loc-key", "K", "--approve", "a"]
      + reason,
    ["doctor", "--accept-clock", "--actor", "me"],
    ["ledger", "compact", "--keep", "3"],
  ]

  @Test(arguments: lines) func isReadAsItWasSent(words: [String]) throws {
    guard
      case .command(let command, let arguments) = try ArgumentParser(commands: CommandList.all)
        .parse(words)
    else { return #expect(Bool(false), "no command") }
    let name = words.contains("--accept-clock") ? "doctor --accept-clock" : command.spec.name
    let requesting = try #require(CommandList.requesting.first { $0.requestName == name })
    #expect(try Self.travels(requesting, arguments))
  }

  @Test func everyRequestHasALine() {
    let names = Self.lines.map { words in
      CommandList.requesting.map { $0.requestName }.first { name in
        words.joined(separator: " ").hasPrefix(name)
      }
    }
    #expect(Set(names.compactMap { $0 }) == Set(CommandList.requesting.map { $0.requestName }))
  }

  /// Whether the same request comes out of a parcel, with the bytes that it is about.
  private static func travels<Command: RequestingCommand>(
    _ command: Command.Type, _ arguments: ParsedArguments
  ) throws -> Bool {
    let environment = ProgramEnvironment(
      variables: [:], output: BufferSink(), errors: BufferSink(), clock: clock, zones: testZones,
      readInput: { _ in [] })
    let context = CommandContext(
      environment, try CommonOptions(arguments, environment: [:]), name: "test")
    var request = try Command.request(arguments, in: context)
    request.input = [0x7B, 0x0A, 0xFF, 0x00]
    let parcel = try RequestParcel(RequestParcel(request, in: context).bytes)
    let again = try parcel.opened(as: Command.Wanted.self)
    let hasInput = !request.input.isEmpty
    return again.json == request.json && again.input == request.input
      && (!hasInput || again.input.count == 4)
  }

  private static let clock = FixedClock(at: Instant(seconds: 1_795_176_000))

  /// What a service with one user makes of bytes that came to its socket, or through a database.
  private static func answer(
    _ requests: [String], input: [UInt8] = [], fromElsewhere: Bool = false
  ) async throws -> [(code: Int32, errors: String, head: UInt64)] {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/rewards.json"
    try Data("{\"data\": \"./data\", \"drawSecret\": {\"env\": \"SECRET\"}}".utf8).write(
      to: URL(fileURLWithPath: file))
    let zones = SystemZones(directory: nil)
    let runtime = try await TestRuntime.open(file, clock, zones)
    _ = try await RosterImport(runtime.writer).run(
      RosterFile(Array(#"{"user":"u1","timezone":"UTC"}"#.utf8)), defaultZone: "UTC", by: "tester")
    let service = HostedRequests(
      runtime,
      ProgramEnvironment(
        variables: TestRuntime.variables, output: BufferSink(), errors: BufferSink(), clock: clock,
        zones: zones, readInput: { _ in [] }))
    var answers: [(code: Int32, errors: String, head: UInt64)] = []
    for request in requests {
      let bytes = Array((request + "\n").utf8) + input
      let answer =
        fromElsewhere
        ? await service.answer(bytes, fromElsewhere: "stranger")
        : await service.answer(bytes, fromUser: nil)
      let head = await runtime.writer.read { $0.ledger.seq }
      answers.append((answer.exitCode, String(decoding: answer.errors, as: UTF8.self), head))
    }
    await runtime.close()
    return answers
  }

  private static func parcel(
    _ name: String, _ body: String, form: Int = 1, shard: String = ""
  ) -> String {
    "{\"form\":\(form),\"request\":\"\(name)\",\"body\":\(body),\"format\":\"text\",\(shard)\"tellsShard\":false}"
  }

  private static let gift =
    #"{"user":"u1","points":5,"exp":0,"coins":0,"items":[],"reason":"a prize"}"#

  @Test func aGiftIsGivenOnce() async throws {
    let gift = Self.parcel("grant", Self.gift)
    let answers = try await Self.answer([gift, gift])
    #expect(answers.map(\.code) == [0, 0])
    #expect(answers[0].head > 0 && answers[1].head == answers[0].head)
  }

  /// Each is refused, with the code and a word of why, and nothing is written.
  @Test(arguments: [
    // Of another version.
    ("no JSON", 75, "no request of this version"),
    (#"{"words":["grant","u1","--points","5","--reason","r"],"input":""}"#, 75, "another version"),
    (parcel("grant", gift, form: 2), 75, "no request of this version"),
    (parcel("gift", gift), 75, "does not know \"gift\""),
    (parcel("grant", String(gift.dropLast()) + ",\"limit\":3}"), 75, "does not know \"limit\""),
    (parcel("grant", "{}"), 75, "cannot read"),
    (parcel("grant", gift, shard: "\"dry\":true,"), 75, "does not know \"dry\""),
    (
      parcel(
        "excuse",
        #"{"outage":{"from":"2026-11-20T00:00:00Z","to":"2026-11-20T01:00:00Z","x":1},"users":[],"zones":[],"reason":"r"}"#
      ), 75, "does not know \"x\""
    ),
    (
      parcel("ingest", #"{"file":"../../x.jsonl","afterRestore":false,"approving":[]}"#), 75,
      "does not know \"file\""
    ),
    (parcel("grant", gift, shard: "\"shard\":3,"), 75, "shard 0, not 3"),
    // What no command line would have said.
    (parcel("grant", gift.replacing("5", with: "-5")), 64, "not a whole number from 0"),
    (parcel("grant", gift.replacing("5", with: "2000000000")), 64, "not a whole number from 0"),
    (parcel("grant", gift.replacing("5", with: "0")), 64, "a grant must give something"),
    (parcel("grant", gift.replacing("a prize", with: "a\\nprize")), 64, "one line"),
    (parcel("grant", gift.replacing("a prize", with: " ")), 64, "must say something"),
    (parcel("grant", String(gift.dropLast()) + #","id":"a/b"}"#), 64, "an id must be"),
    (parcel("grant", String(gift.dropLast()) + #","actor":"a\u0007"}"#), 64, "a name must be"),
    (
      parcel(
        "excuse",
        #"{"from":"2026-11-22","to":"2026-11-20","users":[],"zones":[],"reason":"r"}"#), 64,
      "either an outage or days"
    ),
    (
      parcel(
        "excuse",
        #"{"outage":{"from":"2026-11-20T02:00:00Z","to":"2026-11-20T01:00:00Z"},"users":[],"zones":[],"reason":"r"}"#
      ), 64, "begins at"
    ),
    (parcel("relay replay", #"{"dead":false}"#), 64, "choose the events"),
    (parcel("relay replay", #"{"dead":true,"event":"e"}"#), 64, "choose the events"),
    (
      parcel("relay replay", #"{"dead":false,"from":"2026-11-28T00:00:00Z"}"#), 64,
      "choose the events"
    ),
    (
      parcel(
        "relay replay",
        #"{"dead":false,"from":"2026-11-28T00:00:00Z","to":"2026-11-27T00:00:00Z"}"#), 64,
      "choose the events"
    ),
    (
      parcel(
        "reconcile",
        #"{"zones":["Mars/Base"],"users":[],"prove":false,"confirm":false}"#), 65, "Mars/Base"
    ),
    (
      parcel(
        "reconcile",
        #"{"zones":[],"users":[],"prove":false,"confirm":false,"round":{"since":"2026-11-20T02:00:00Z","second":true}}"#
      ), 64, "no other shards"
    ),
  ])
  func isRefused(_ request: String, code: Int32, why: String) async throws {
    let answers = try await Self.answer([
      Self.parcel("users remove", #"{"user":"nobody"}"#), request,
    ])
    #expect(answers[1].code == code)
    #expect(answers[1].errors.contains(why), "\(answers[1].errors)")
    #expect(answers[1].head == answers[0].head)
  }

  /// Another account, or a row of a database, may change the ledger, and starts no programs.
  @Test(arguments: [true, false]) func strangersStartNoProgram(fromElsewhere: Bool) async throws {
    let run = Self.parcel("run", #"{"file":"job.json","due":false}"#)
    let elsewhere = try await Self.answer(
      [run, Self.parcel("grant", Self.gift)], input: Array("{}".utf8),
      fromElsewhere: fromElsewhere)
    #expect(elsewhere.map(\.code) == [77, 0])
    #expect(elsewhere[0].errors.contains("does this for its own account only"))
    #expect(
      CommandList.requesting.filter { !$0.isForOthers }.map { $0.requestName } == ["run"])
  }
}
