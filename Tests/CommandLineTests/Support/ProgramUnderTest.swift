import Foundation

/// Runs the built program as a stranger would, each time in an empty folder and environment.
enum ProgramUnderTest {
  /// Runs one recorded case; versions that change with the system are replaced by their names.
  static func run(_ golden: GoldenCase) async throws -> GoldenCase.Outcome {
    let home = FileManager.default.temporaryDirectory
      .appendingPathComponent("rewards-\(UUID().uuidString)")
    let folder = home.appendingPathComponent("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    for file in golden.files {
      try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.path))
    }
    try Data(golden.input.utf8).write(to: home.appendingPathComponent("input"))

    let process = Process()
    process.executableURL = executable
    process.arguments = golden.arguments
    process.environment = golden.environment
    process.currentDirectoryURL = folder
    process.standardInput = try FileHandle(forReadingFrom: home.appendingPathComponent("input"))
    process.standardOutput = try emptyFile(home, "output")
    process.standardError = try emptyFile(home, "errors")
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    return GoldenCase.Outcome(
      exitCode: process.terminationStatus,
      output: try text(home, "output"), errors: try text(home, "errors"))
  }

  /// The program beside the tests.
  private static var executable: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("rewards")
  }

  private static func emptyFile(_ home: URL, _ name: String) throws -> FileHandle {
    let file = home.appendingPathComponent(name)
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }

  private static func text(_ home: URL, _ name: String) throws -> String {
    let bytes = try Data(contentsOf: home.appendingPathComponent(name))
    return String(decoding: bytes, as: UTF8.self)
      .replacing(/\b20[0-9]{2}[a-z]{1,2}\b/, with: "TZDATA")
      .replacing(/\brewards [0-9]+\.[0-9]+\.[0-9]+/, with: "rewards VERSION")
      .replacing(/"version":"[0-9]+\.[0-9]+\.[0-9]+"/, with: "\"version\":\"VERSION\"")
  }
}
