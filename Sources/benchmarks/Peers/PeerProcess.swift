import Foundation
import Foundations

/// Another program that exchanges lines with this one.
final class PeerProcess {
  private let command: String
  private let child: ChildProcess
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Starts `command`, found as by a shell.
  init(_ command: String, _ arguments: [String]) throws {
    self.command = command
    child = try ChildProcess(
      command, arguments, environment: nil,
      input: .descriptor(input.fileHandleForReading.fileDescriptor),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor))
    // Only the child now holds the other ends, so the streams end when it does.
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
  }

  /// Starts this program again, as its own helper.
  static func itself(_ arguments: [String]) throws -> PeerProcess {
    try PeerProcess(
      FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), arguments)
  }

  /// Returns whether a shell finds `command`.
  static func exists(_ command: String) -> Bool {
    let isFound =
      try? PeerProcess("sh", ["-c", "command -v \(command) >/dev/null"]).wait() == .exited(0)
    return isFound ?? false
  }

  /// Returns the next line of its output; throws if it ends instead.
  func readLine() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[unread.index(after: end)...])
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty {
        throw PeerFailure(what: "\(command) ended without an answer")
      }
      unread += more
    }
  }

  /// Sends a line.
  func say(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Sends a line and returns the answer.
  func ask(_ line: String) throws -> String {
    try say(line)
    return try readLine()
  }

  /// Returns all further output until it ends.
  func readToEnd() -> String {
    let all = unread + output.fileHandleForReading.readDataToEndOfFile()
    _ = wait()
    return String(decoding: all, as: UTF8.self)
  }

  /// Closes its input, which ends it, and waits for the end.
  @discardableResult func wait() -> ChildProcess.Outcome {
    try? input.fileHandleForWriting.close()
    return child.waitUntilEnded()
  }
}

/// A peer's failure to do its work, which would make the comparison worthless.
struct PeerFailure: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}
