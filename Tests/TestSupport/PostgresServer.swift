import Foundation
import Foundations

/// A PostgreSQL server for tests, gone with the value, or with this process however that ends.
///
/// Reached by a socket in a folder of its own; the superuser is `rewards`, without a password.
package final class PostgresServer: Sendable {
  /// The server that all tests of this process share; nil where none is installed.
  package static let shared = try? PostgresServer(settings: ["fsync=off"])

  /// There is no server to be started.
  package struct Missing: Error {}

  private let folder: TemporaryFolder
  private let child: ChildProcess
  private let input: FileHandle
  private let count = Lock(Int64(0))

  /// Starts a server with further settings, and waits until it takes connections.
  package init(settings: [String] = []) throws {
    folder = try TemporaryFolder()
    let (input, output) = (Pipe(), Pipe())
    child = try ChildProcess(
      Self.script, [folder.path] + settings, environment: nil,
      input: .descriptor(input.fileHandleForReading.fileDescriptor),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor))
    self.input = input.fileHandleForWriting
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    // The script says "ready", or ends.
    guard output.fileHandleForReading.availableData.starts(with: Data("ready".utf8)) else {
      throw Missing()
    }
  }

  /// The address of the database that each server has.
  package var address: String {
    let socket = folder.path.replacing("/", with: "%2F")
    return "postgres://rewards@\(socket)/postgres"
  }

  /// A number that no other caller gets.
  package func makeNumber() -> Int64 {
    count.withLock { count in
      count += 1
      return count
    }
  }

  private static var script: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Postgres/server.sh").path
  }
}
