import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct CommandSpecTests {
  private static let specs = CommandList.all.map { $0.spec }
  private static let names = specs.map(\.name)

  private static func spec(_ name: String) throws -> CommandSpec {
    try specs.first { $0.name == name } ?? { throw NoSuchCommand() }()
  }

  private struct NoSuchCommand: Error {}

  @Test func namesAreUnique() {
    #expect(Set(Self.names).count == Self.names.count)
  }

  @Test(arguments: names)
  func isExplainedInFull(name: String) throws {
    let spec = try Self.spec(name)
    let help = HelpText().text(of: spec, inDatabase: true)
    #expect(!spec.summary.isEmpty)
    #expect(!spec.examples.isEmpty)
    #expect(spec.examples.allSatisfy { $0.line.contains("rewards \(name)") })
    #expect(!spec.examples.contains { $0.does.isEmpty })
    #expect(help.contains(spec.usage))
    #expect(!HelpText().text(of: spec, inDatabase: false).contains("--shard N"))
    for option in spec.options + CommandOption.common { #expect(help.contains(option.synopsis)) }
    #expect(help.split(separator: "\n").filter { $0.count > MarkdownText.width } == [])
    let parts = ["usage: ", "\nExamples:\n", "\nOptions:\n", "\nCommon options:\n"]
    let places = parts.compactMap { help.firstRange(of: $0)?.lowerBound }
    #expect(places == places.sorted() && help.hasPrefix(parts[0]))
    #expect(places.count == (spec.options.isEmpty ? 3 : 4))
  }

  /// The ten commands that are used most come first; a list of all stands nowhere else.
  @Test func commandsStandInGroups() {
    #expect(CommandGroup.all.map(\.title) == ["Every day", "Users", "Repair", "Proof", "Set-up"])
    #expect(CommandGroup.all[0].commands.count == 10)
    let help = HelpText().overview(group: "", inDatabase: true)
    #expect(help.split(separator: "\n").filter { $0.count > MarkdownText.width } == [])
    for group in CommandGroup.all { #expect(help.contains("\n\(group.title):\n")) }
    for name in Self.names { #expect(help.contains("\n  \(name) ")) }
  }

  /// Tasks name commands and options that there are.
  @Test(arguments: CommandGroup.all.flatMap(\.tasks).map(\.use))
  func tasksAreDoneByCommands(use: String) throws {
    for line in Markdown.codeSpans(in: use) where line.hasPrefix("rewards ") {
      let words = line.split(separator: " ").dropFirst().map { String($0) }
      if words[0] == "help" { continue }
      let spec = try #require(
        Self.specs.first { "\(words.joined(separator: " ")) ".hasPrefix("\($0.name) ") }, "\(line)")
      for word in words where word.hasPrefix("--") {
        #expect(spec.options.contains { "--\($0.name)" == word }, "\(line)")
      }
    }
  }

  @Test(arguments: ReferencePage.allCases)
  func topicsFitThePage(page: ReferencePage) {
    let lines = MarkdownText.text(of: page.page).split(separator: "\n").map { String($0) }
    var transcripts: Set<String> = []
    for case .code(_, let lines) in page.page.blocks where Markdown.isTranscript(lines) {
      transcripts.formUnion(lines.filter { !$0.isEmpty }.map { "    \($0)" })
    }
    // What is pasted into a shell must not be broken.
    #expect(transcripts.isSubset(of: lines))
    #expect(lines.filter { $0.count > MarkdownText.width && !transcripts.contains($0) } == [])
  }

  @Test(arguments: names)
  func takesNoOptionTwice(name: String) throws {
    let options = try Self.spec(name).options + CommandOption.common
    #expect(Set(options.map(\.name)).count == options.count)
  }

  @Test(arguments: names)
  func optionalArgumentsComeLast(name: String) throws {
    let optional = try Self.spec(name).arguments.map(\.isOptional)
    #expect(optional.drop { !$0 }.allSatisfy { $0 })
  }
}
