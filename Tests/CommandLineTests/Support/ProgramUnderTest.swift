import Failures
import Foundation
import Foundations
import Operations
import TestSupport

/// Runs the built program as a stranger would, each time in an empty folder and environment.
enum ProgramUnderTest {
  /// Runs one recorded case; what changes from run to run or with the system is replaced by its name.
  static func run(_ golden: GoldenCase) async throws -> GoldenCase.Outcome {
    let home = try TemporaryFolder()
    let folder = URL(fileURLWithPath: home.path).appendingPathComponent("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in golden.files {
      let path = folder.appendingPathComponent(file.path)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: path)
      if file.path == "credentials.jsonl" {
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600], ofItemAtPath: path.path)
      }
    }
    for words in golden.before {
      let mayFail = words.first == "!"
      let outcome = try await run(mayFail ? Array(words.dropFirst()) : words, golden, in: folder)
      if outcome.exitCode > 1, !mayFail { throw Unprepared(words: words, outcome: outcome) }
    }
    return try await run(golden.arguments, golden, in: folder)
  }

  /// Runs one command line in `folder`, in the environment of `golden` and with its input.
  static func run(
    _ words: [String], _ golden: GoldenCase, in folder: URL
  ) async throws -> GoldenCase.Outcome {
    let streams = try TemporaryFolder()
    let home = URL(fileURLWithPath: streams.path)
    _ = try streams.write("input", golden.input)
    let child = try ChildProcess(
      BuiltPrograms.rewards, words, environment: golden.environment, folder: folder.path,
      input: .file("\(streams.path)/input"), output: .file("\(streams.path)/output"),
      errors: .file("\(streams.path)/errors"))
    guard case .exited(let exitCode) = await child.ended() else { throw Killed(words: words) }
    return GoldenCase.Outcome(
      exitCode: exitCode, output: try text(home, "output"), errors: try text(home, "errors"))
  }

  /// A run that a signal ended.
  struct Killed: Error { let words: [String] }

  /// A run before the recorded one that did not do its work.
  struct Unprepared: Error {
    let words: [String]
    let outcome: GoldenCase.Outcome
  }

  private static func text(_ home: URL, _ name: String) throws -> String {
    let bytes = try Data(contentsOf: home.appendingPathComponent(name))
    return withoutGiver(String(decoding: bytes, as: UTF8.self))
      .replacing(/\b20[0-9]{2}[a-z]{1,2}\b/, with: "TZDATA")
      .replacing(/\brewards [0-9]+\.[0-9]+\.[0-9]+/, with: "rewards VERSION")
      .replacing(/"version":"[0-9]+\.[0-9]+\.[0-9]+"/, with: "\"version\":\"VERSION\"")
      .replacing(/(?<before>[0-9]:|"hash":"|with hash )[0-9a-f]{64}\b/) { "\($0.before)HASH" }
      .replacing(/\b[0-9]{10}(-[0-9a-f]{1,2}){4}\.jsonl/, with: "INGESTED.jsonl")
      .replacing(/\b[0-9]+ days old/, with: "N days old")
      .replacing(/\bpid [0-9]+/, with: "pid PID")
      .replacing("\"actor\":\"\(CallingAccount.own)\"", with: "\"actor\":\"ACCOUNT\"")
      .replacing("paused by \(CallingAccount.own):", with: "paused by ACCOUNT:")
      .replacing("Z by \(CallingAccount.own):", with: "Z by ACCOUNT:")
      .replacing("(\(CallingAccount.own), seq", with: "(ACCOUNT, seq")
      .replacing("(account \(CallingAccount.own))", with: "(account ACCOUNT)")
      .replacing("another account than \(CallingAccount.own)", with: "another account than ACCOUNT")
  }

  /// Returns a text whose rows of what people gave do not name the account, by whose name a column is as wide as it is.
  private static func withoutGiver(_ text: String) -> String {
    text.replacing("\"who\":\"\(CallingAccount.own)\"", with: "\"who\":\"ACCOUNT\"")
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        guard line.prefixMatch(of: /[ ]{12}(MONTH|20[0-9]{2}-[0-9]{2})[ ]{2}/) != nil else {
          return String(line)
        }
        let row = line.dropFirst(12).replacing(/[ ]{2,}/, with: "  ")
        return "            " + row.replacing("  \(CallingAccount.own)  ", with: "  ACCOUNT  ")
      }
      .joined(separator: "\n")
  }
}
