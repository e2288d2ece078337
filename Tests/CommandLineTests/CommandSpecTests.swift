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
    let help = HelpText.text(of: spec, inDatabase: true)
    #expect(!spec.summary.isEmpty)
    #expect(!spec.examples.isEmpty)
    #expect(spec.examples.allSatisfy { $0.line.contains("rewards \(name)") })
    #expect(!spec.examples.contains { $0.does.isEmpty })
    #expect(help.contains(spec.usage))
    #expect(!HelpText.text(of: spec, inDatabase: false).contains("--shard N"))
    for option in spec.options + CommandOption.common { #expect(help.contains(option.synopsis)) }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 120 || $0.contains("usage:") })
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
