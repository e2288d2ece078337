import CivilTime
import Scheduling
import StrictJSON
import TestSupport
import Testing

@Suite(.offThePool) struct JobFileTests {
  private static let good =
    #"{"name":"n","schedule":"30 0 * * *","timeZone":"user","do":["reconcile"]}"#

  @Test func defaultsAreFilledIn() throws {
    let job = try JobFile.parse(Array(Self.good.utf8), zones: SchedulerFixture.zones).get()
    #expect(job.name == "n")
    #expect(job.place == .eachUserZone)
    #expect(job.command == ["reconcile"])
    #expect(job.overlap == .skip)
    #expect([job.catchUpSeconds, job.jitterSeconds, job.timeoutSeconds] == [129_600, 0, 7_200])
    #expect(job.isEnabled)
  }

  @Test func everythingCanBeSaid() throws {
    let text = """
      // nightly
      {"name":"n","schedule":"@daily","timeZone":"Asia/Tokyo","do":["audit","--from","x"],
       "overlap":"queue","catchUp":"7d","jitter":"90s","timeout":"5m","enabled":false}
      """
    let job = try JobFile.parse(Array(text.utf8), zones: SchedulerFixture.zones).get()
    #expect(job.place == .zone("Asia/Tokyo"))
    #expect(job.overlap == .queue)
    #expect([job.catchUpSeconds, job.jitterSeconds, job.timeoutSeconds] == [604_800, 90, 300])
    #expect(!job.isEnabled)
  }

  /// A member of the good file replaced or added, and the places of the mistakes.
  @Test(arguments: [
    (#""name":"n""#, #""name":"""#, ["name"]),
    (#""name":"n""#, #""name":"a|b""#, ["name"]),
    (#""name":"n""#, #""name":7"#, ["name"]),
    (#""name":"n","#, "", ["name"]),
    (#""30 0 * * *""#, #""60 0 * * *""#, ["schedule"]),
    (#""schedule":"30 0 * * *","#, "", ["schedule"]),
    (#""user""#, #""Mars/Olympus""#, ["timeZone"]),
    (#""timeZone":"user","#, "", ["timeZone"]),
    (#","do":["reconcile"]"#, "", ["do"]),
    (#"["reconcile"]"#, "[]", ["do"]),
    (#"["reconcile"]"#, #"["ingest","f","--approve","0123"]"#, ["do"]),
    (#"["reconcile"]"#, #"["approve","0123"]"#, ["do"]),
    (#"["reconcile"]"#, "[1]", ["do[0]", "do"]),
    (#""name""#, #""overlap":"maybe","name""#, ["overlap"]),
    (#""name""#, #""catchUp":"36","name""#, ["catchUp"]),
    (#""name""#, #""jitter":"-1s","name""#, ["jitter"]),
    (#""name""#, #""timeout":"1.5h","name""#, ["timeout"]),
    (#""name""#, #""timeout":"0s","name""#, ["timeout"]),
    (#""name""#, #""enabled":"no","name""#, ["enabled"]),
    (#""name""#, #""catchup":"36h","name""#, ["catchup"]),
    (#""name":"n","schedule":"30 0 * * *""#, #""name":"","schedule":"x""#, ["name", "schedule"]),
  ])
  func mistakesAreNamedWithTheirPlaces(old: String, new: String, paths: [String]) throws {
    let text = Self.good.replacing(old, with: new)
    try #require(text != Self.good)
    let result = JobFile.parse(Array(text.utf8), zones: SchedulerFixture.zones)
    let problems = #expect(throws: JobFileProblems.self) { try result.get() }
    #expect(Set(problems?.problems.map(\.path) ?? []) == Set(paths))
    #expect(problems?.problems.allSatisfy { $0.line == 1 && !$0.what.isEmpty } == true)
  }
}
