import CheerAPI
import CivilTime
import Configuration
import Failures
import Foundation
import Foundations
import Operations
import Scheduling
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// What `init` writes is what the pages print, and what the program takes.
@Suite(.offThePool) struct InitTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func theExamplesAreThoseThatItWrites() throws {
    let files = InitFiles(
      folder: "/etc/rewards", data: "/var/lib/rewards", program: "/usr/local/bin/rewards",
      account: "rewards")
    let page = try String(
      contentsOf: Self.root.appendingPathComponent("jobs/README.md"), encoding: .utf8)
    for text in [files.cron, files.nightlyService, files.nightlyTimer, files.service] {
      #expect(page.contains("\n\(text)```"))
    }
    // Operators trust a socket in the service's own folder only.
    let remote = InitFiles(
      folder: "/etc/rewards", data: "postgres://db/x", program: "/usr/local/bin/rewards",
      account: "rewards")
    #expect(remote.service.contains("\nRuntimeDirectory=rewards\n"))
    #expect(remote.service.contains("\nRuntimeDirectoryPreserve=yes\nRestart=always\n"))
  }

  @Test func theJobsAreTheShippedOnes() throws {
    for (name, text) in ShippedJobs.files {
      let file = Self.root.appendingPathComponent("jobs/\(name)")
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
      #expect(throws: Never.self) {
        try JobFile.parse(Array(text.utf8), zones: SystemZones(directory: nil)).get()
      }
    }
  }

  @Test func whatItWritesWorksAndStays() async throws {
    let place = try TemporaryFolder()
    let folder = URL(fileURLWithPath: place.path)
    let golden = GoldenCase(about: "", arguments: [])
    let first = try await ProgramUnderTest.run(["init", "etc"], golden, in: folder)
    #expect(first.exitCode == 0)
    let secrets = "\(place.path)/etc/secrets.env"
    let mode = try FileManager.default.attributesOfItem(atPath: secrets)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let before = try Data(contentsOf: URL(fileURLWithPath: secrets))
    let second = try await ProgramUnderTest.run(["init", "etc"], golden, in: folder)
    #expect(second.output.contains("kept") && !second.output.contains("wrote"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: secrets)) == before)
    var doctor = GoldenCase(about: "", arguments: [])
    doctor.environment = ["REWARDS_DRAW_SECRET": "x", "REWARDS_ADMIN_LISTEN": "127.0.0.1:0"]
    let told = try await ProgramUnderTest.run(
      ["doctor", "--config", "etc/rewards.json"], doctor, in: folder)
    #expect(told.output.contains("ledger: there is none yet"))
    #expect(told.exitCode == 1)
  }

  /// What everybody may read names the database; what opens it stands with the secrets.
  @Test(arguments: [
    ("postgres://u:a%20hun'ter@db/x", "PGPASSWORD=a\\ hun\\'ter\n", 0),
    ("postgres://u@db/x", nil, 0), ("postgres://u:a/hun'ter@db/x", nil, 64),
  ])
  func aPasswordIsASecret(_ address: String, _ line: String?, _ code: Int32) async throws {
    let place = try TemporaryFolder()
    let done = try await ProgramUnderTest.run(
      ["init", "etc", "--data", address], GoldenCase(about: "", arguments: []),
      in: URL(fileURLWithPath: place.path))
    #expect(done.exitCode == code && !done.output.contains("hun"))
    func text(_ name: String) -> String? {
      try? String(contentsOfFile: "\(place.path)/etc/\(name)", encoding: .utf8)
    }
    #expect((text("rewards.json") != nil) == (code == 0))
    #expect(text("rewards.json")?.contains("hun") != true)
    #expect(text("rewards.json")?.contains("postgres://u@db/x") != false)
    let secrets = text("secrets.env") ?? ""
    #expect(secrets.contains("PGPASSWORD") == (line != nil))
    #expect(secrets.hasSuffix(line ?? ""))
  }

  private static func run(
    _ words: [String], in place: TemporaryFolder
  ) async throws -> GoldenCase.Outcome {
    try await ProgramUnderTest.run(
      words, GoldenCase(about: "", arguments: []), in: URL(fileURLWithPath: place.path))
  }

  /// The owner and the permissions of a file.
  private static func access(_ path: String) throws -> (owner: Int, mode: Int) {
    let found = try FileManager.default.attributesOfItem(atPath: path)
    return (found[.ownerAccountID] as? Int ?? -1, found[.posixPermissions] as? Int ?? 0)
  }

  /// An account that is not there would be noticed at the first start; the refusal has the command that makes it.
  @Test(arguments: [
    (
      "no-such-account",
      "useradd --system --no-create-home --shell /usr/sbin/nologin no-such-account"
    ),
    ("no such; account", "Name one that there is"),
  ])
  func anAccountThatIsNotThereIsRefused(account: String, told: String) async throws {
    let place = try TemporaryFolder()
    let done = try await Self.run(["init", "etc", "--account", account], in: place)
    #expect(done.exitCode == 64 && done.errors.contains(told))
    #expect(!FileManager.default.fileExists(atPath: "\(place.path)/etc"))
  }

  /// The service's account gets what it works with, or whoever called is told how to give it.
  @Test func theAccountOwnsWhatIsWritten() async throws {
    let place = try TemporaryFolder()
    let nobody = try #require(CallingAccount.numbers(of: "nobody"))
    let done = try await Self.run(["init", "etc", "--account", "nobody"], in: place)
    #expect(done.exitCode == 0)
    let isRoot = CallingAccount.own == "root"
    #expect(done.output.contains("chown -h nobody: ") != isRoot)
    #expect(done.output.contains("groupadd --system --force rewards-operators"))
    #expect(done.output.contains("usermod --append --groups rewards-operators ann"))
    #expect(done.output.contains("-type d -exec chmod g+s {} +"))
    guard isRoot else { return }
    for path in ["etc/jobs", "etc/data", "etc/secrets.env", "etc/rewards.json"] {
      #expect(try Self.access("\(place.path)/\(path)").owner == Int(nobody.user), "\(path)")
    }
    // The account could change or replace what root installs.
    let folder = try Self.access("\(place.path)/etc")
    #expect(folder.owner == 0 && folder.mode == 0o755)
    for name in ["rewards.service", "rewards-nightly.service", "rewards.cron"] {
      let file = try Self.access("\(place.path)/etc/\(name)")
      #expect(file.owner == 0 && file.mode == 0o644, "\(name)")
    }
    // What was there stays as it is; whoever called is told to give it.
    let other = try TemporaryFolder()
    _ = try await Self.run(["init", "etc"], in: other)
    let again = try await Self.run(["init", "etc", "--account", "nobody"], in: other)
    #expect(again.output.contains("1. Give the files to nobody"))
    #expect(again.output.contains("chown -h nobody: ") && again.output.contains("/etc/secrets.env"))
  }

  /// What stands behind a link is not given away: the account may have put the link there.
  @Test(arguments: ["etc", "etc/jobs"])
  func aFolderThatIsALinkIsRefused(name: String) async throws {
    let place = try TemporaryFolder()
    let files = FileManager.default
    try files.createDirectory(atPath: "\(place.path)/behind", withIntermediateDirectories: true)
    if name == "etc/jobs" {
      try files.createDirectory(atPath: "\(place.path)/etc", withIntermediateDirectories: true)
    }
    try files.createSymbolicLink(
      atPath: "\(place.path)/\(name)", withDestinationPath: "\(place.path)/behind")
    let done = try await Self.run(["init", "etc", "--account", "nobody"], in: place)
    #expect(done.exitCode == 73 && done.errors.contains("\(place.path)/\(name)"))
    #expect(try files.contentsOfDirectory(atPath: "\(place.path)/behind").isEmpty)
    #expect(!files.fileExists(atPath: "\(place.path)/etc/rewards.json"))
  }

  /// The list is complete and in order, its commands name the files, and no command line takes a secret.
  @Test func whatIsLeftToDoIsListed() async throws {
    let place = try TemporaryFolder()
    let done = try await Self.run(["init", "etc", "--format", "json"], in: place)
    let told = try JSONNode.parse(Array(done.output.utf8))
    let steps = told["leftToDo"]?.elements ?? []
    let commands = steps.map { $0["commands"]?.elements?.compactMap(\.string) ?? [] }
    #expect(commands.count == 5 && commands.allSatisfy { !$0.isEmpty })
    let words = ["secrets.env", "users.jsonl", "cp -p", "doctor", "systemctl enable --now rewards"]
    for (word, command) in zip(words, commands) {
      #expect(command.joined(separator: "\n").contains(word), "\(word)")
    }
    #expect(commands[0] == ["${EDITOR:-vi} \(place.path)/etc/secrets.env"])
    let secret = try String(contentsOfFile: "\(place.path)/etc/secrets.env", encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: "=").dropFirst().first }
    #expect(secret.count == 1 && !done.output.contains(secret[0]))
    let text = try await Self.run(["init", "etc"], in: place)
    for number in 1...5 { #expect(text.output.contains("\n  \(number). ")) }
    let prose = text.output.split(separator: "\n").filter { !$0.hasPrefix("       ") }
    #expect(prose.filter { $0.count > MarkdownText.width && !$0.hasPrefix("wrote ") } == [])
    // As printed, in a shell.
    try "{\"user\": \"4711\", \"timezone\": \"Asia/Tokyo\"}\n".write(
      toFile: "\(place.path)/etc/users.jsonl", atomically: true, encoding: .utf8)
    let shell = try ChildProcess(
      "/bin/sh", ["-c", commands[3][0]], environment: ["REWARDS_ADMIN_LISTEN": "127.0.0.1:0"],
      folder: place.path, output: .file("\(place.path)/doctor"), errors: .null)
    _ = await shell.ended()
    let doctor = try String(contentsOfFile: "\(place.path)/doctor", encoding: .utf8)
    #expect(doctor.contains("well       draw secret"))
  }

  /// A second call leaves out what was done after the first.
  @Test(arguments: [
    ("secrets.env", "CHEER_API_TOKEN=t\n"),
    ("credentials.jsonl", #"{"user": "4711", "token": "t"}"#),
  ])
  func whatIsDoneIsNotListedAgain(file: String, line: String) async throws {
    let place = try TemporaryFolder()
    let first = try await Self.run(["init", "etc"], in: place)
    #expect(first.output.split(whereSeparator: \.isWhitespace).contains("credentials.jsonl"))
    try "{\"user\": \"4711\"}\n".write(
      toFile: "\(place.path)/etc/users.jsonl", atomically: true, encoding: .utf8)
    let path = "\(place.path)/etc/\(file)"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).write(
      contentsOf: Data((text.replacing("CHEER_API_TOKEN=\n", with: "") + line).utf8))
    let again = try await Self.run(["init", "etc"], in: place)
    #expect(!again.output.contains("CHEER_API_TOKEN") && !again.output.contains("List the users"))
    #expect(again.output.contains("1. Keep a copy of the secrets"))
  }

  /// The credentials file is a sample that can be used as it is.
  @Test func theSampleOfCredentialsIsRead() async throws {
    let place = try TemporaryFolder()
    _ = try await Self.run(["init", "etc"], in: place)
    let file = "\(place.path)/etc/credentials.jsonl"
    #expect(try Self.access(file).mode == 0o600)
    #expect(try CredentialFile.read(path: file).isEmpty)
    var text = try String(contentsOfFile: file, encoding: .utf8)
    let samples = text.split(separator: "\n").filter { $0.contains("{") }
    #expect(samples.count == 2)
    text += samples.map { $0.drop { $0 != "{" } + "\n" }.joined()
    try FileHandle(forWritingTo: URL(fileURLWithPath: file)).write(contentsOf: Data(text.utf8))
    #expect(try CredentialFile.read(path: file).keys.sorted() == ["4711", "4712"])
  }

  @Test func aPlaceToTryThingsHasAllOfIt() async throws {
    let place = try TemporaryFolder()
    let done = try await Self.run(["init", "--try", "play"], in: place)
    #expect(done.exitCode == 0 && done.output.contains("try-api world.jsonl"))
    for name in ["draw-secret", "api-token", "relay-secret"] {
      #expect(try Self.access("\(place.path)/play/\(name)").mode == 0o600)
    }
    let other = try TemporaryFolder()
    _ = try await Self.run(["init", "--try", "play"], in: other)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: "\(place.path)/play/draw-secret"))
        != Data(contentsOf: URL(fileURLWithPath: "\(other.path)/play/draw-secret")))
    for name in ["rewards.json", "past.json"] {
      let configuration = try ConfigurationLoader(
        environment: [:], zones: SystemZones(directory: nil)
      ).load(file: "\(place.path)/play/\(name)", flags: [:])
      #expect(configuration.relay.isEmpty == (name == "past.json"))
      #expect(try JobFolder.read(configuration, zones: SystemZones(directory: nil)).count == 4)
      let users = try PosixFileSystem().readInput(configuration.users, limitBytes: 1 << 20)
      #expect(RosterFile(users).problems.isEmpty && RosterFile(users).entries.count == 3)
    }
    for words in [["--account", "nobody"], ["--data", "x"]] {
      #expect(try await Self.run(["init", "--try", "new"] + words, in: place).exitCode == 64)
    }
  }
}
