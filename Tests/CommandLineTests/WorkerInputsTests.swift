import Configuration
import Foundation
import Foundations
import TestSupport
import Testing

@testable import rewards

/// What a worker goes by, compared with what others tell.
@Suite(.offThePool) struct WorkerInputsTests {
  /// The inputs of a worker in a folder of its own.
  private static func inputs(
    settings: String = "", files: [String: String] = [:], flags: [String: String] = [:],
    zones: String? = nil
  ) throws -> WorkerInputs {
    let folder = try TemporaryFolder()
    for (name, text) in files {
      if let slash = name.lastIndex(of: "/") {
        try FileManager.default.createDirectory(
          atPath: "\(folder.path)/\(name[..<slash])", withIntermediateDirectories: true)
      }
      try folder.write(name, text)
    }
    let file = try folder.write(
      "rewards.json",
      #"{"users":"users.jsonl","jobs":"jobs","rules":["rules.json"]\#(settings)}"#)
    let configuration = try ConfigurationLoader(
      environment: [:], zones: SystemZones(directory: nil)
    )
    .load(file: file, flags: flags)
    return WorkerInputs(reading: configuration, SystemZones(directory: zones))
  }

  private static let files = [
    "users.jsonl": "{\"user\":\"u1\"}\n", "rules.json": "{}", "jobs/nightly.json": "{}",
  ]

  @Test(arguments: [
    ("users.jsonl", "{\"user\":\"u2\"}\n", ["roster"]), ("rules.json", "{ }", ["rules"]),
    ("jobs/nightly.json", "[]", ["jobs"]), ("jobs/weekly.json", "{}", ["jobs"]),
    ("jobs/notes.txt", "no job", []), ("users.jsonl", "{\"user\":\"u1\"}\n", []),
  ])
  func filesAreComparedByWhatTheySay(
    _ name: String, _ text: String, _ differences: [String]
  ) throws {
    let one = try Self.inputs(files: Self.files)
    let two = try Self.inputs(files: Self.files.merging([name: text]) { $1 })
    #expect(WorkerInputs.differences(among: [one, two]) == differences)
  }

  @Test(arguments: [
    (#","guard":{"breakFactor":9}"#, ["settings"]), (#","api":{"lagSeconds":60}"#, ["settings"]),
    (#","data":"elsewhere""#, []), (#","admin":{"listen":"127.0.0.1:1"}"#, []),
    (#","drawSecret":{"env":"OTHER"}"#, []),
  ])
  func settingsAreComparedButForPlaces(_ settings: String, _ differences: [String]) throws {
    let one = try Self.inputs(files: Self.files)
    let two = try Self.inputs(settings: settings, files: Self.files)
    #expect(WorkerInputs.differences(among: [one, two]) == differences)
  }

  @Test func aFileThatIsNotThereIsToldFromOneThatCannotBeRead() throws {
    let none = try Self.inputs()
    #expect(none.digests["roster"] == "none" && none.digests["rules"] == "none")
    let odd = try Self.inputs(files: ["users.jsonl/inside": "", "rules.json": "{}"])
    #expect(odd.digests["roster"] == "unreadable")
  }

  @Test func whatIsToldIsUnderstood() throws {
    let inputs = try Self.inputs(files: Self.files)
    #expect(WorkerInputs(parsing: inputs.description) == inputs)
    #expect(inputs.digests.keys.sorted() == ["jobs", "roster", "rules", "settings", "zones"])
  }

  /// An older worker tells nothing, a newer one more: neither is a difference.
  @Test func whatAWorkerDoesNotTellIsNoDifference() {
    let told = ["", "rules=1 roster=2", "rules=1 roster=2 more=3", "rubbish", "rules=1"]
    #expect(WorkerInputs.differences(among: told.map { WorkerInputs(parsing: $0) }) == [])
    #expect(
      WorkerInputs.differences(
        among: (told + ["rules=4 more=5"]).map { WorkerInputs(parsing: $0) }) == ["more", "rules"])
  }

  /// A folder with two zones: the first goes by the file of `source`, under a version.
  private static func zones(_ source: String, version: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, file) in [("Tokyo", source), ("Paris", "Europe/Paris")] {
      try FileManager.default.copyItem(
        atPath: URL(fileURLWithPath: "\(SystemZones.defaultDirectory)/\(file)")
          .resolvingSymlinksInPath().path, toPath: "\(folder.path)/\(name)")
    }
    try folder.write("tzdata.zi", "# version \(version)\n")
    return folder
  }

  /// Zones differ when days begin otherwise. Older ones stand back; of others of the same version whoever comes later.
  @Test(arguments: [
    ("Asia/Tokyo", "2026a", false, false), ("Asia/Shanghai", "2026a", true, false),
    ("Asia/Shanghai", "2026b", true, true), ("Asia/Shanghai", "2025c", false, false),
  ])
  func whoseZonesAreOlderStandsBack(
    _ file: String, _ version: String, yieldsLater: Bool, yieldsAlways: Bool
  ) throws {
    let (here, there) = (
      try Self.zones("Asia/Tokyo", version: "2026a"), try Self.zones(file, version: version)
    )
    let own = try Self.inputs(zones: here.path)
    let other = WorkerInputs(
      parsing: try Self.inputs(zones: there.path).text(isHeldBack: false))
    #expect(own.yields(to: other, hasPrecedence: false) == yieldsLater)
    #expect(own.yields(to: other, hasPrecedence: true) == yieldsAlways)
    let held = own.text(isHeldBack: true)
    #expect(WorkerInputs.isHeldBack(held) && WorkerInputs(parsing: held) == own)
    #expect(!WorkerInputs.isHeldBack(own.text(isHeldBack: false)))
  }
}
