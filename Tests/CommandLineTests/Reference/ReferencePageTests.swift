import Configuration
import Failures
import Foundation
import Ledger
import NotificationRelay
import Operations
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// What the reference tells, held against what the program has: what is missing or surplus fails.
@Suite(.offThePool) struct ReferencePageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let isRecording =
    ProcessInfo.processInfo.environment["REWARDS_UPDATE_GOLDEN"] == "1"

  private static func source(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test(arguments: ReferencePage.allCases)
  func isTheFileOfTheDocumentation(page: ReferencePage) throws {
    let path = "Sources/rewards/rewards.docc/\(page.rawValue).md"
    if page == .commands, Self.isRecording {
      try Data(page.text.utf8).write(to: Self.root.appendingPathComponent(path))
    }
    #expect(try Self.source(path) == page.text)
    #expect(!page.page.title.isEmpty)
    #expect(!page.page.summary.isEmpty && page.page.summary.count < 120)
  }

  /// Fences show what the types describe; recording writes them.
  @Test(arguments: ReferencePage.allCases)
  func shapesAreThoseOfTheProgram(page: ReferencePage) throws {
    let file = Self.root.appendingPathComponent("Sources/rewards/rewards.docc/\(page.rawValue).md")
    var text = try String(contentsOf: file, encoding: .utf8)
    for fence in page.page.fences("shape") {
      for name in fence.names {
        let shape = try #require(SchemaCatalogue.shape(inFence: name), "\(name)")
        if Self.isRecording {
          let head = "```shape \(fence.names.joined(separator: " "))\n"
          let old = fence.text.isEmpty ? "" : "\(fence.text)\n"
          text = text.replacing("\(head)\(old)```", with: "\(head)\(shape.notation)\n```")
        } else {
          #expect(fence.text == shape.notation, "\(name)")
        }
      }
    }
    if Self.isRecording { try Data(text.utf8).write(to: file) }
  }

  /// Each entry that is no command has a fence, or a page of its own.
  @Test func everyOutputHasAFence() {
    let shown = ReferencePage.allCases.flatMap { $0.page.fences("shape").flatMap(\.names) }
    #expect(Set(SchemaCatalogue.outputs.map(\.name)).subtracting(shown) == [])
    #expect(Set(EventShapes.types.flatMap(\.types).map(\.rawValue)).subtracting(shown) == [])
    #expect(Set(shown).count == shown.count)
  }

  /// Links lead to pages that are there.
  @Test(arguments: ReferencePage.allCases)
  func linksLeadSomewhere(page: ReferencePage) throws {
    let folder = Self.root.appendingPathComponent("Sources/rewards/rewards.docc")
    for link in page.text.matches(of: /<doc:(?<name>[A-Za-z-]+)/) {
      let file = folder.appendingPathComponent("\(link.output.name).md").path
      #expect(FileManager.default.fileExists(atPath: file), "\(link.output.name)")
    }
  }

  @Test func everyKeyOfTheConfigurationHasARow() {
    let rows = ConfigurationPage.rows
    var keys: [String] = []
    for key in Configuration.keys {
      let name = ConfigurationPage.name(of: key.path)
      if !keys.contains(name) { keys.append(name) }
      guard let row = rows.first(where: { $0.key == name }) else { continue }
      let preset = key.isRequired ? "" : key.preset.replacing("\"", with: "")
      #expect(row.preset.replacing("\"", with: "") == preset, "\(name)")
    }
    #expect(Set(rows.map(\.key)) == Set(keys))
    #expect(rows.count == keys.count)
  }

  @Test func everyVariableHasARow() {
    let rows = ReferencePage.configuration.page.rows(under: "variable")
      .flatMap { Markdown.codeSpans(in: $0[0]) }
    #expect(Set(rows.filter { $0.hasPrefix("REWARDS_") }) == Set(Configuration.ownVariables))
  }

  @Test func everyTypeOfRecordHasARow() {
    let rows = ReferencePage.records.page.rows(under: "type").flatMap {
      Markdown.codeSpans(in: $0[0])
    }
    #expect(rows.sorted() == RecordType.allCases.map(\.rawValue).sorted())
  }

  @Test func everyTypeOfEventHasAShape() throws {
    let types = EventShapes.types.flatMap(\.types).map(\.rawValue)
    #expect(
      types.sorted() == EventType.allCases.filter { $0.group != nil }.map(\.rawValue).sorted())
    let told = ReferencePage.events.page.blocks.flatMap { block -> [String] in
      guard case .table(_, let rows) = block else { return [] }
      return rows.flatMap { Markdown.codeSpans(in: $0[0]) }
    }
    for type in types {
      let last = type.split(separator: ".").last ?? ""
      #expect(told.contains(type) || told.contains(".\(last)"), "\(type)")
    }
  }

  @Test func everyMetricHasARow() throws {
    let source = try Self.source("Sources/Operations/Metrics/ServiceMetrics.swift")
    let made = source.matches(of: /"(?<name>rewards_[a-z_]+)"/).map { String($0.output.name) }
    let rows = ReferencePage.metrics.page.rows(under: "name").flatMap {
      Markdown.codeSpans(in: $0[0])
    }
    #expect(made.count > 30)
    #expect(Set(rows) == Set(made))
  }

  @Test func everyPathOfTheAdminAddressHasARow() throws {
    let source = try Self.source("Sources/Operations/Control/AdminServer.swift")
    let made = Set(source.matches(of: /"(?<path>\/[a-z0-9\/]+)"/).map { String($0.output.path) })
    let rows = ReferencePage.http.page.rows(under: "request").flatMap {
      Markdown.codeSpans(in: $0[0])
    }.map { String($0.split(separator: " ").last ?? "").replacing("ID", with: "") }
    #expect(Set(rows) == made)
  }

  @Test func everyExitCodeHasARow() {
    let rows = ReferencePage.output.page.rows(under: "code")
    #expect(rows == ExitCode.allCases.map { ["\($0.rawValue)", $0.meaning] })
  }

  @Test func everySectionOfRulesHasARow() throws {
    let rows = ReferencePage.rules.page.rows(under: "key").flatMap { Markdown.codeSpans(in: $0[0]) }
    let paths = try SchemaCatalogue.shape(of: "rules").paths
    // A row may tell of a whole section; inside a reward nothing is told.
    let told = Set(rows)
    let reward: Set = ["points", "exp", "coins", "boosterDays", "item"]
    for path in paths {
      let parts = path.split(separator: ".").map { String($0) }
      let isTold =
        told.contains(path) || told.contains(parts[0]) || reward.contains(parts.last ?? "")
        || told.contains { $0.hasPrefix("\(path).") }
      #expect(isTold, "\(path)")
    }
    #expect(told.allSatisfy { paths.contains($0) })
  }

  @Test func everyKeyOfJobsHasARow() throws {
    let rows = ReferencePage.jobs.page.rows(under: "key").flatMap { Markdown.codeSpans(in: $0[0]) }
    #expect(rows == (try SchemaCatalogue.shape(of: "job").paths))
    let readme = Markdown(try Self.source("jobs/README.md"))
    #expect(readme.rows(under: "key").map { $0[0] } == rows.map { "`\($0)`" })
  }

  @Test func theChangelogKnowsThisVersion() {
    let heads = ReferencePage.changelog.page.blocks.compactMap { block -> String? in
      if case .heading(2, let text) = block { text } else { nil }
    }
    #expect(heads.first?.hasPrefix(ProgramVersion.text) == true)
  }

  @Test(arguments: ReferencePage.allCases)
  func isShown(page: ReferencePage) throws {
    for name in page.names {
      switch try ArgumentParser(commands: CommandList.all).parse(["help", name]) {
      case .topic(let shown): #expect(shown == page)
      case .overview(let group, _): #expect(group == name)
      default: Issue.record("\(name) is a command")
      }
    }
    let text = MarkdownText.text(of: page.page)
    #expect(!text.contains("<doc:"))
    #expect(!text.contains("**"))
    let roff = ManPage.text(of: page.page, name: "x", section: 7, version: "0")
    #expect(roff.hasPrefix(".TH "))
    #expect(roff.utf8.allSatisfy { $0 < 0x80 })
    #expect(!roff.split(separator: "\n").contains { $0.hasPrefix("'") })
  }
}
