import CheerAPI
import CivilTime
import RewardRules
import Scheduling
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// The shapes that the pages write of what the program reads: it takes what they allow, and refuses what they do not.
@Suite(.offThePool) struct InputShapeTests {
  /// What a reader says about a text: nothing, or all its objections.
  private struct Reader: Sendable {
    let name: String
    let values: [String: String]
    let read: @Sendable ([UInt8]) -> String?
  }

  private static let readers: [Reader] = [
    Reader(
      name: "rules",
      values: [
        "corrects": "\"other\"", "streak.countsAs[]": "\"login\"", "levels.rewards.*": "",
        "missions.comment.item": "\"*\"",
      ],
      read: { text in
        if case .failure(let problems) = RulesDocument.parse(text) { "\(problems)" } else { nil }
      }),
    Reader(
      name: "job",
      values: [
        "schedule": "\"@daily\"", "timeZone": "\"UTC\"", "run": "", "catchUp": "\"1h\"",
        "jitter": "\"1m\"", "timeout": "\"1h\"",
      ],
      read: { text in
        if case .failure(let problems) = JobFile.parse(text, zones: testZones) {
          "\(problems)"
        } else {
          nil
        }
      }),
    Reader(
      name: "roster", values: ["timezone": "\"UTC\""],
      read: { text in
        let file = RosterFile(text)
        return file.problems.isEmpty
          ? nil : file.problems.map { "\($0.what)" }.joined(separator: "\n")
      }),
  ]

  private static func reader(_ name: String) throws -> Reader {
    try readers.first { $0.name == name } ?? { throw SchemaCatalogue.Missing(name: name) }()
  }

  private static func shape(_ name: String) throws -> JSONShape {
    try SchemaCatalogue.shape(of: name)
  }

  private static func text(_ sample: ShapeSample, _ shape: JSONShape) -> [UInt8] {
    Array(sample.text(of: shape).utf8)
  }

  @Test(arguments: readers.map(\.name))
  func takesEveryField(name: String) throws {
    let reader = try Self.reader(name)
    let text = Self.text(ShapeSample(values: reader.values), try Self.shape(name))
    #expect(reader.read(text) == nil, "\(String(decoding: text, as: UTF8.self))")
  }

  @Test(arguments: readers.map(\.name))
  func knowsTheSameFieldsEverywhere(name: String) throws {
    let reader = try Self.reader(name)
    let shape = try Self.shape(name)
    for object in ShapeSample.objects(in: shape) where !object.path.contains(".*") {
      let text = Self.text(
        ShapeSample(values: reader.values, strangerIn: object.path), shape)
      let objections = try #require(reader.read(text), "\(object.path)")
      let list = try #require(objections.firstMatch(of: /there are (?<names>[^)]*)\)/))
      var known = Set(list.output.names.split(separator: ", ").map { String($0) })
      // A job has either.
      if name == "job" { known.formUnion(["do", "run"]) }
      // Refused there with a reason of its own.
      if object.path == "fallback" { known.remove("item") }
      let lasting = ["missions.stream", "missions.watch"]
      if !lasting.contains(object.path) { known.remove("minMinutes") }
      #expect(known == Set(object.names), "\(object.path)")
    }
  }

  @Test(arguments: readers.map(\.name))
  func numbersEndWhereTheyEnd(name: String) throws {
    let reader = try Self.reader(name)
    let shape = try Self.shape(name)
    for limit in ShapeSample.limits(in: shape) where !limit.path.contains(".*") {
      for (number, isRight) in [
        (limit.range.lowerBound, true), (limit.range.upperBound, true),
        (limit.range.lowerBound - 1, false), (limit.range.upperBound + 1, false),
      ] {
        var values = reader.values
        values[limit.path] = "\(number)"
        let text = Self.text(ShapeSample(values: values), shape)
        #expect((reader.read(text) == nil) == isRight, "\(limit.path) \(number)")
      }
    }
  }

  @Test func inboxLinesAreTaken() throws {
    let parser = InboxParser(naiveZone: try testZones.zone(named: "UTC"))
    guard case .either(let shapes) = try Self.shape("inbox") else {
      Issue.record("one kind of line only")
      return
    }
    #expect(shapes.count == 3)
    for shape in shapes {
      var sample = ShapeSample(values: [
        "at": "\"2026-11-20T08:00:00Z\"", "completeThrough": "\"2026-11-20T08:00:00Z\"",
      ])
      for user in ["\"ann\"", "4711"] {
        sample.values["user"] = user
        let line = Array(sample.text(of: shape).utf8)
        let problem = line.withUnsafeBufferPointer { line -> InboxParser.Problem? in
          do throws(InboxParser.Problem) {
            _ = try parser.parse(line)
            return nil
          } catch { return error }
        }
        #expect(problem == nil, "\(String(decoding: line, as: UTF8.self))")
      }
    }
  }

  @Test func credentialLinesAreAccepted() throws {
    guard case .either(let shapes) = try Self.shape("credentials") else {
      Issue.record("one kind of line only")
      return
    }
    #expect(shapes.count == 2)
    let place = try TemporaryFolder()
    for shape in shapes {
      for user in ["\"ann\"", "4711"] {
        let line = ShapeSample(values: ["user": user]).text(of: shape)
        let path = try place.write("credentials.jsonl", line)
        #expect(try CredentialFile.read(path: path).count == 1, "\(line)")
      }
    }
  }
}
