import CivilTime
import Configuration
import Failures
import Foundation
import Foundations
import LedgerStore
import Operations
import TestSupport
import Testing

@testable import rewards

/// A service goes by the configuration with which it was started, whatever a command that it carries out is told.
@Suite(.offThePool) struct HostedConfigurationTests {
  @Test func aCommandReadsTheServicesOwnData() async throws {
    let folder = try TemporaryFolder()
    func configure(_ name: String, _ data: String) throws -> String {
      let path = "\(folder.path)/\(name).json"
      let text = "{\"data\": \"./\(data)\", \"drawSecret\": {\"env\": \"SECRET\"}}"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return path
    }
    let zones = SystemZones(directory: nil)
    let file = try configure("rewards", "data")
    let clock = FixedClock(at: Instant(seconds: 1_795_176_000))
    let runtime = try await TestRuntime.open(file, clock, zones)
    let head = try LedgerReader.open(runtime.directory).head
    // The file is edited, and the command names another one: neither has a ledger.
    _ = try configure("rewards", "other")
    let another = try configure("another", "other")
    for words in [["ledger", "head"], ["ledger", "head", "--config", another]] {
      let output = BufferSink()
      let environment = ProgramEnvironment(
        variables: TestRuntime.variables, output: output, errors: BufferSink(), clock: clock,
        isClockShared: false, zones: zones, account: "tester", reloadZones: { false },
        readInput: { _ in [] }, hosted: runtime)
      #expect(await Program(environment: environment).run(words) == .done)
      #expect(String(decoding: output.bytes, as: UTF8.self).contains("\(head)"))
    }
    await runtime.close()
  }
}
