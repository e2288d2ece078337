import Foundation

/// Another program with which we speak in lines.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Starts `command`, found as a shell would find it.
  init(_ command: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Starts this program again, as a helper of itself.
  static func itself(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), arguments)
  }

  /// Whether a shell finds `command`.
  static func exists(_ command: String) -> Bool {
    let isFound = try? ChildProcess("sh", ["-c", "command -v \(command) >/dev/null"]).wait() == 0
    return isFound ?? false
  }

  /// The next line that it writes; throws when it ends instead.
  func readLine() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[unread.index(after: end)...])
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty {
        throw PeerFailure(what: "\(process.arguments?.first ?? "") ended without an answer")
      }
      unread += more
    }
  }

  /// Sends a line and returns the answer.
  func ask(_ line: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    return try readLine()
  }

  /// All that it writes until it ends.
  func readToEnd() -> String {
    let all = unread + output.fileHandleForReading.readDataToEndOfFile()
    _ = wait()
    return String(decoding: all, as: UTF8.self)
  }

  /// Closes its input, which ends it, and waits.
  @discardableResult func wait() -> Int32 {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// A peer that did not do what it should; the comparison would be worth nothing.
struct PeerFailure: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}
