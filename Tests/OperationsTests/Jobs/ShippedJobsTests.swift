import CivilTime
import Foundation
import Foundations
import Operations
import Scheduling
import StrictJSON
import TestSupport
import Testing

/// The files in `jobs/`, as they are shipped.
@Suite(.offThePool) struct ShippedJobsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../jobs").standardizedFileURL.path

  private struct Block {
    let language: String
    let lines: [String]

    /// The lines under `[NAME]` of a unit file, as keys and values.
    func section(_ name: String) -> [String: String] {
      var section = ""
      var values: [String: String] = [:]
      for line in lines where !line.isEmpty && !line.hasPrefix("#") {
        if line.hasPrefix("[") {
          section = String(line.dropFirst().dropLast())
        } else if section == name {
          let pair = line.split(separator: "=", maxSplits: 1).map { String($0) }
          values[pair[0]] = pair.count == 2 ? pair[1] : ""
        }
      }
      return values
    }
  }

  /// The fenced blocks of the README, in order.
  private func blocks() throws -> [Block] {
    let text = try String(contentsOfFile: "\(Self.folder)/README.md", encoding: .utf8)
    let parts = text.components(separatedBy: "```")
    return parts.enumerated().filter { $0.offset % 2 == 1 }.map { _, part in
      let lines = part.components(separatedBy: "\n")
      return Block(language: lines[0], lines: Array(lines.dropFirst().dropLast()))
    }
  }

  @Test func theyAreRead() throws {
    let jobs = try JobFolder.all(
      in: Self.folder, among: PosixFileSystem(), zones: TestPlace.zones)
    #expect(
      jobs.map(\.name) == [
        "audit-everything", "audit-grants", "backfill-missed-streaks", "nightly-reconciliation",
      ])
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(Set(files) == Set(jobs.map { "\($0.name).json" } + ["README.md", "monitoring"]))
    for job in jobs where job.isEnabled {
      #expect(throws: Never.self) { try JobAction(of: job, nil) }
    }
    let nightly = try #require(jobs.last)
    #expect(nightly.isEnabled && nightly.place == .eachUserZone)
    #expect(nightly.schedule.expression == "30 0 * * *")
    #expect(nightly.command == ["reconcile", "--day", "yesterday", "--prove"])
    #expect(nightly.catchUpSeconds == 36 * 3_600)
  }

  /// What every unit, crontab and manifest calls exists, with the options that it is given.
  @Test func theReadmeCallsWhatIsThere() throws {
    let blocks = try blocks()
    #expect(blocks.map(\.language) == ["", "ini", "ini", "ini", "yaml"])
    let calls = blocks.flatMap(\.lines).filter { $0.contains("nightly-reconciliation.json") }
    #expect(calls.count == 3)
    for call in calls {
      #expect(call.contains("run") && call.contains("--due") && call.contains("--config"))
      #expect(call.contains("/etc/rewards/jobs/nightly-reconciliation.json"))
    }
    let line = try #require(blocks[0].lines.first { !$0.hasPrefix("#") })
    let cron = line.split(separator: " ").prefix(5)
    let utc = try TestPlace.zones.zone(named: "Etc/UTC")
    let next = try Schedule(cron.joined(separator: " ")).next(
      after: JobScene.instant("2026-11-20T00:01:00Z"), in: utc)
    #expect(next == (try JobScene.instant("2026-11-20T00:15:00Z")))
  }

  @Test func theUnitsFitTogether() throws {
    let blocks = try blocks()
    let (once, timer, service) = (blocks[1], blocks[2], blocks[3])
    #expect(once.section("Service")["Type"] == "oneshot")
    #expect(once.section("Service")["SuccessExitStatus"] == "1 75")
    #expect(timer.section("Timer")["OnCalendar"] == "*:0/15")
    #expect(timer.section("Install")["WantedBy"] == "timers.target")
    #expect(service.section("Install")["WantedBy"] == "multi-user.target")
    for unit in [once, service] {
      let values = unit.section("Service")
      #expect(values["ExecStart"]?.hasPrefix("/usr/local/bin/rewards ") == true)
      #expect(values["WorkingDirectory"] == "/etc/rewards" && values["User"] == "rewards")
      #expect(values["EnvironmentFile"] == "/etc/rewards/secrets.env")
    }
    #expect(service.section("Service")["ExecReload"]?.contains("-HUP") == true)
  }

  /// Where systemd is there, its own check reads the timer.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
  func systemdReadsTheTimersTime() async throws {
    let time = try #require(try blocks()[2].section("Timer")["OnCalendar"])
    let check = try ChildProcess(
      "/usr/bin/systemd-analyze", ["calendar", time], environment: [:], output: .null,
      errors: .null)
    #expect(await check.ended() == .exited(0))
  }

  @Test func theManifestIsWhole() throws {
    let lines = try #require(try blocks().last).lines
    #expect(lines.allSatisfy { !$0.contains("\t") })
    #expect(
      lines.allSatisfy { $0.prefix { $0 == " " }.count.isMultiple(of: 2) })
    for key in [
      "apiVersion: batch/v1", "kind: CronJob", "kind: Deployment", "strategy: {type: Recreate}",
      "- action: FailJob", "livenessProbe:", "readinessProbe:", "concurrencyPolicy: Forbid",
      "restartPolicy: Never",
      "schedule: \"*/15 * * * *\"",
      // The volume belongs to the image's user, else the ledger cannot be made.
      "securityContext: {runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001}",
    ] {
      #expect(lines.contains { $0.trimmingCharacters(in: .whitespaces).hasPrefix(key) }, "\(key)")
    }
    let commands = try lines.filter { $0.contains("args: ") }.map { args in
      let array = try #require(args.range(of: "args: ")).upperBound
      return DocumentReader(
        Array("{\"args\": \(args[array...])}".utf8), allowingComments: false
      ).rootSection()?.strings("args")?.first
    }
    #expect(commands == ["serve", "run"])
    // Every mounted volume is there.
    let mounts = lines.filter { $0.contains("mountPath") }.compactMap {
      $0.split(separator: "{name: ").last?.prefix { $0 != "," }
    }
    #expect(mounts.count == 6)
    for mount in mounts {
      #expect(lines.contains { $0.contains("- {name: \(mount), ") && !$0.contains("mountPath") })
    }
  }
}
