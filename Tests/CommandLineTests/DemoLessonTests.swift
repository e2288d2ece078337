import CivilTime
import Failures
import Foundation
import Foundations
import Operations
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// What a demo says should be tried next works as it is printed, whenever somebody does it.
@Suite(.offThePool) struct DemoLessonTests {
  /// A command line's exit code and output with the wall clock at `now`, in this process.
  private static func run(
    _ words: [String], at now: Instant
  ) async -> (code: ExitCode, output: String, errors: String) {
    let (output, errors) = (MemorySink(), MemorySink())
    let environment = ProgramEnvironment(
      variables: [:], output: output, errors: errors, clock: FixedClock(at: now), zones: testZones,
      account: "tester", program: "rewards", readInput: { (_) throws(ReadError) in [] })
    let code = await Program(environment: environment).run(words)
    return (code, output.text, errors.text)
  }

  /// Today is when the demo was written; a year later the same holds, and ten years before.
  private static let presents = [
    "2026-11-22T17:00:00Z", "2027-11-22T17:00:00Z", "2016-02-29T12:00:00Z",
  ]

  /// The points in the head of what `rewards user` prints.
  private static func points(in output: String) -> Int? {
    output.firstMatch(of: /\npoints +(?<points>[0-9]+)/).flatMap { Int($0.output.points) }
  }

  /// It says how long it takes before it begins, and that is no promise that a day breaks.
  @Test func anAnnouncementSaysHowLongItTakes() {
    var options = DemoWorld.Options()
    #expect(
      DemoText.announcement(of: options)
        == "14 days of 150 simulated users in ./demo; this takes less than a minute")
    options.days = 366
    options.users = 1_000
    #expect(DemoText.announcement(of: options).hasSuffix("about 101 minutes"))
    options.pollMinutes = 1_440
    #expect(DemoText.announcement(of: options).hasSuffix("about 4 minutes"))
  }

  @Test func everyLineWorksWheneverItIsTyped() async throws {
    let place = try TemporaryFolder()
    let world = "\(place.path)/world"
    let now = try InstantText.parse(Self.presents[0]).instant
    let demo = await Self.run(
      ["demo", "--users", "40", "--days", "8", "--data", world, "--format", "json"], at: now)
    #expect(demo.code == .done, "\(demo.errors)")
    let told = try JSONNode.parse(Array(demo.output.utf8))
    let lines = told["next"]?.elements?.compactMap(\.string) ?? []
    #expect(lines.count == 10)
    let page = try #require(told["page"]?.string)
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
    #expect(lines[7].hasSuffix("audit --html \(page)"))
    var told1: [String] = []
    for present in Self.presents {
      let copy = "\(place.path)/copy"
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: world, toPath: copy)
      let now = try InstantText.parse(present).instant
      var outputs: [String] = []
      for line in lines {
        let words = line.replacing(world, with: copy).split(separator: " ").dropFirst()
        let answer = await Self.run(words.map { String($0) }, at: now)
        let mayNeedALook = line.contains("--propose")
        #expect(
          answer.code == .done || answer.code == .attention && mayNeedALook,
          "\(line): \(answer.output)\(answer.errors)")
        #expect(answer.errors.isEmpty, "\(line)")
        #expect(!answer.output.isEmpty, "\(line)")
        outputs.append(answer.output)
      }
      // The user whom the lesson follows is worse off before the repair than after it.
      #expect(outputs[0] != outputs[6])
      let (before, after) = (Self.points(in: outputs[0]), Self.points(in: outputs[6]))
      #expect(try #require(before) < #require(after))
      #expect(outputs[1].contains("would be granted by a backfill"))
      #expect(outputs[2].contains("rewards excuse --outage"))
      #expect(outputs[7].contains("the audit passed"))
      #expect(outputs[8].contains("proved: a second run appends nothing"))
      if told1.isEmpty { told1 = outputs }
      #expect(outputs == told1)
    }
  }
}
