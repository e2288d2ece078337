import CivilTime
import Configuration
import Failures
import Foundations
import Operations
import StrictJSON
import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct ProgramTests {
  private let output: MemorySink
  private let errors: MemorySink

  init() {
    output = MemorySink(isTerminal: true)
    errors = MemorySink(isTerminal: true)
  }

  private func environment(_ variables: [String: String]) -> ProgramEnvironment {
    ProgramEnvironment(
      variables: variables, output: output, errors: errors,
      clock: FixedClock(at: Instant(seconds: 0)), zones: testZones,
      readInput: { (_) throws(ReadError) in Array("piped".utf8) })
  }

  private func run(_ words: String..., variables: [String: String] = [:]) async -> ExitCode {
    await Program(environment: environment(variables)).run(words)
  }

  @Test(arguments: [
    ([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false),
  ])
  func coloursOnlyWhereTheyAreWanted(variables: [String: String], isColoured: Bool) async {
    #expect(await run("doctor", variables: variables) == .attention)
    #expect(output.text.contains("\u{1B}[") == isColoured)
  }

  @Test func jsonIsOneDocumentWithoutColours() async throws {
    #expect(await run("doctor", "--format", "json") == .attention)
    #expect(output.text.hasSuffix("}\n"))
    #expect(!output.text.contains("\u{1B}["))
    #expect(try JSONNode.parse(Array(output.text.utf8))["checks"]?.elements?.isEmpty == false)
  }

  /// A stream comes only once, whatever ways a command tries: for a service that does not answer, and then for itself.
  @Test func inputIsReadOnce() throws {
    let texts = Lock([Array("piped".utf8)])
    var environment = environment([:])
    environment.readInput = { _ in texts.withLock { $0.popLast() ?? [] } }
    let context = CommandContext(
      environment, try CommonOptions(ParsedArguments(), environment: [:]), name: "test")
    for _ in 1...2 { #expect(try context.input("-") == Array("piped".utf8)) }
    #expect(try context.with(ShardID(1, of: 4)).input("-") == Array("piped".utf8))
  }

  @Test func theClockThatNowSetsIsTheOneInForce() async {
    #expect(await run("jobs", "next", "@daily", "--zone", "UTC", "--count", "1") == .done)
    #expect(
      await run(
        "jobs", "next", "@daily", "--zone", "UTC", "--count", "1", "--now", "2026-11-20T12:00:00Z")
        == .done)
    #expect(output.text == "1970-01-02T00:00:00Z\n2026-11-21T00:00:00Z\n")
  }

  @Test func logsAsTheEnvironmentSays() throws {
    let variables = ["REWARDS_LOG_LEVEL": "info", "REWARDS_LOG_FORMAT": "json"]
    let options = try CommonOptions(ParsedArguments(), environment: variables)
    CommandContext(environment(variables), options, name: "test").log.info(
      "started", ["users": 3])
    #expect(
      errors.text
        == "{\"at\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"started\",\"users\":3}\n"
    )
  }

  @Test(arguments: [
    ["REWARDS_LOG_LEVEL": "loud"], ["REWARDS_LOG_FORMAT": "xml"],
  ])
  func refusesUnknownChoices(variables: [String: String]) async {
    #expect(await run("version", variables: variables) == .usage)
    #expect(output.text == "")
  }

  @Test func readsStandardInputWhenAskedTo() throws {
    let options = try CommonOptions(ParsedArguments(), environment: [:])
    let context = CommandContext(environment([:]), options, name: "test")
    #expect(try context.input("-") == Array("piped".utf8))
    #expect(throws: ReadError.self) { try context.input("/none/such") }
  }

  @Test func progressIsDrawnOnTerminalsOnly() throws {
    let options = try CommonOptions(ParsedArguments(), environment: [:])
    let context = CommandContext(environment([:]), options, name: "test")
    let bar = context.progress("Judging", total: 2)
    bar.update(done: 2)
    bar.finish()
    #expect(errors.text.hasPrefix("\rJudging ["))
    #expect(errors.text.hasSuffix("\r\u{1B}[K"))

    let file = MemorySink()
    let silent = ProgressBar(
      "Judging", total: 2, sink: file, clock: FixedClock(at: Instant(seconds: 0)))
    silent.update(done: 2)
    silent.finish()
    #expect(file.text == "")
  }

  private struct Surprise: Error, CustomStringConvertible {
    let description = "a surprise"
  }

  @Test func whatNobodyExpectedIsOurOwnMistake() {
    let failure = Failure(describing: Surprise())
    #expect(failure.exitCode == .internalError)
    #expect(failure.text.hasPrefix("rewards: a surprise\n"))
  }

  @Test(arguments: [
    (ReadError(path: "f", code: 2), ExitCode.noInput),
    (ReadError(path: "f", code: 13), .permission),
    (ReadError(path: "f", code: 5), .inputOutput),
    (ReadError(path: "f", what: "is too long"), .badData),
  ])
  func filesFailInTheirOwnWays(error: ReadError, exitCode: ExitCode) {
    #expect(Failure(describing: error).exitCode == exitCode)
    #expect(Failure(describing: error).place == "f")
  }
}
