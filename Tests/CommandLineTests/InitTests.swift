import CivilTime
import Failures
import Foundation
import Foundations
import Scheduling
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

  /// An account that is not there would be noticed at the first start; one that is gets what it works with.
  @Test(arguments: [("nobody", 0, "chown -R nobody: "), ("no-such-account", 64, "useradd")])
  func theAccountOfTheServiceIsThere(account: String, code: Int32, told: String) async throws {
    let place = try TemporaryFolder()
    let done = try await ProgramUnderTest.run(
      ["init", "etc", "--account", account], GoldenCase(about: "", arguments: []),
      in: URL(fileURLWithPath: place.path))
    #expect(done.exitCode == code && (done.output + done.errors).contains(told))
    #expect(FileManager.default.fileExists(atPath: "\(place.path)/etc") == (code == 0))
  }
}
