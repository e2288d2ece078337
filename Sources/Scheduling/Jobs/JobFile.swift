package import CivilTime
package import StrictJSON

/// A parser of the files in `jobs/`: JSON with comments.
package enum JobFile {
  /// Returns the job that `text` describes, or every mistake in it, each with its path and line.
  package static func parse(
    _ text: [UInt8], zones: any ZoneSource
  ) -> Result<Job, JobFileProblems> {
    let reader = DocumentReader(text, allowingComments: true)
    guard let root = reader.rootSection() else { return .failure(JobFileProblems(reader.problems)) }
    let job = job(root, zones: zones)
    root.finish()
    guard reader.problems.isEmpty, let job else {
      return .failure(JobFileProblems(reader.problems))
    }
    return .success(job)
  }

  private static func job(_ root: DocumentSection, zones: any ZoneSource) -> Job? {
    let name = required(root, "name", example: "\"nightly\"")
    if let name, name.isEmpty || name.utf8.contains(where: { $0 == 0x7C || $0 < 0x20 }),
      let node = root.node("name")
    {
      root.note("name", node, "must not be empty, and must not contain \"|\" or control characters")
    }
    let schedule = required(root, "schedule", example: "\"30 0 * * *\"").flatMap { text in
      parse(root, "schedule", text) { (text) throws(ScheduleError) in try Schedule(text) }
    }
    let place = place(root, zones: zones)
    let isProgram = root.has("run")
    let command = root.strings(isProgram ? "run" : "do")
    if command?.isEmpty ?? true {
      root.noteMissing(
        isProgram ? "run" : "do",
        example: isProgram ? "[\"/usr/bin/rsync\", …]" : "[\"reconcile\", \"--day\", \"yesterday\"]"
      )
    }
    if isProgram, let node = root.node("run") {
      if root.has("do") {
        root.note("run", node, "a job has either \"do\" or \"run\"")
      } else if let path = command?.first, !path.hasPrefix("/") {
        root.note("run", node, "give the program's full path, as in [\"/usr/bin/rsync\", …]")
      }
    }
    if !isProgram, let node = root.node("do"),
      command?.first == "approve"
        || command?.contains(where: { $0.hasPrefix("--approve") }) ?? false
    {
      // Whoever can write a job file would be a second person.
      root.note("do", node, "a job approves nothing, because that takes a person")
    }
    let overlap = root.string("overlap").flatMap { text -> Job.Overlap? in
      if let overlap = Job.Overlap(rawValue: text) { return overlap }
      if let node = root.node("overlap") {
        let words = Job.Overlap.allCases.map { "\"\($0.rawValue)\"" }
        root.note("overlap", node, "expected \(words.joined(separator: " or "))")
      }
      return nil
    }
    let catchesUpOnce = root.string("catchUp") == "once"
    let catchUp =
      catchesUpOnce ? Job.onceSeconds : seconds(root, "catchUp", or: "once") ?? 36 * 3_600
    let jitter = seconds(root, "jitter") ?? 0
    let timeout = seconds(root, "timeout", atLeast: 1) ?? 2 * 3_600
    let isEnabled = root.bool("enabled") ?? true
    guard let name, let schedule, let place, let command, !command.isEmpty else { return nil }
    var job = Job(
      name: name, schedule: schedule, place: place, command: command, overlap: overlap ?? .skip,
      catchUpSeconds: catchUp, jitterSeconds: jitter, timeoutSeconds: timeout, isEnabled: isEnabled,
      isProgram: isProgram)
    job.catchesUpOnce = catchesUpOnce
    return job
  }

  private static func required(
    _ root: DocumentSection, _ key: String, example: String
  ) -> String? {
    if !root.has(key) { root.noteMissing(key, example: example) }
    return root.string(key)
  }

  private static func place(_ root: DocumentSection, zones: any ZoneSource) -> Job.Place? {
    guard let name = required(root, "timeZone", example: "\"user\"") else { return nil }
    if name == "user" { return .eachUserZone }
    return parse(root, "timeZone", name) { (name) throws(ZoneError) in
      .zone(try zones.zone(named: name).name)
    }
  }

  private static func seconds(
    _ root: DocumentSection, _ key: String, or word: String? = nil, atLeast least: Int64 = 0
  ) -> Int64? {
    guard let text = root.string(key), let node = root.node(key) else { return nil }
    guard let seconds = Self.seconds(text) else {
      root.note(
        key, node,
        "\"\(text)\" is not a duration; write a whole number and s, m, h or d, as in \"36h\"\(word.map { ", or \"\($0)\"" } ?? "")"
      )
      return nil
    }
    if seconds < least { root.note(key, node, "\"\(text)\" is too short; the least is \(least) s") }
    return seconds
  }

  /// Returns the seconds in a duration such as `90s`, `5m`, `36h` or `7d`; nil for anything else.
  static func seconds(_ text: String) -> Int64? {
    guard let unit = text.last, let count = Int64(text.dropLast()), (0...100_000).contains(count)
    else { return nil }
    switch unit {
    case "s": return count
    case "m": return count * 60
    case "h": return count * 3_600
    case "d": return count * 86_400
    default: return nil
    }
  }

  private static func parse<Value, Failure: Error>(
    _ root: DocumentSection, _ key: String, _ text: String,
    _ make: (String) throws(Failure) -> Value
  ) -> Value? {
    do throws(Failure) {
      return try make(text)
    } catch {
      if let node = root.node(key) { root.note(key, node, "\(error)") }
      return nil
    }
  }
}

/// All mistakes in a job file.
package struct JobFileProblems: Error, Sendable, CustomStringConvertible {
  /// The mistakes, in file order.
  package let problems: [DocumentProblem]

  init(_ problems: [DocumentProblem]) { self.problems = problems }

  /// One mistake per line.
  package var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension JobFile {
  /// The shape of a file; it has either `do` or `run`.
  package static let shape = JSONShape.object([
    .init("name", .text(.text)),
    .init("schedule", .text(.text)),
    .init("timeZone", .text(.text)),
    .init("do", .list(.text(.text), count: nil), isOptional: true),
    .init("run", .list(.text(.text), count: nil), isOptional: true),
    .init("overlap", .words(Job.Overlap.allCases.map(\.rawValue)), isOptional: true),
    .init("catchUp", .text(.text), isOptional: true),
    .init("jitter", .text(.text), isOptional: true),
    .init("timeout", .text(.text), isOptional: true),
    .init("enabled", .bool, isOptional: true),
  ])
}
