import Foundation
import HTTPClient
import LedgerStore
import Operations
import Threading

/// A run of the built program, as an operator starts it.
final class ServiceProcess: @unchecked Sendable {
  private let process = Process()
  private let errors: String
  private let directory: DataDirectory

  /// Starts `rewards WORDS` on the configuration of `place`.
  init(_ place: TestPlace, _ words: [String] = ["serve"], data: String? = nil) throws {
    directory = data.map { DataDirectory($0) } ?? place.directory
    errors = "\(place.path)/errors-\(UUID().uuidString)"
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("rewards")
    process.arguments = words + ["--config", "\(place.path)/rewards.json", "--log-level", "info"]
    process.environment = [:]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
  }

  deinit { if process.isRunning { kill() } }

  /// What it wrote to standard error so far.
  var log: String {
    String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self)
  }

  var isRunning: Bool { process.isRunning }

  /// Ends the process as a power failure would.
  func kill() { _ = Glibc.kill(process.processIdentifier, SIGKILL) }

  /// Asks the process to end.
  func terminate() { process.terminate() }

  /// Makes the process read users and rules again.
  func reload() { _ = Glibc.kill(process.processIdentifier, SIGHUP) }

  /// The exit code, or the number of the signal with a minus; nil when it does not end in time.
  func ended(within seconds: Int64 = 20) async -> Int32? {
    guard await eventually(within: seconds, { !process.isRunning }) else { return nil }
    let status = process.terminationStatus
    return process.terminationReason == .exit ? status : -status
  }

  /// Whether the process comes to answer on its control socket.
  func answers(within seconds: Int64 = 20) async -> Bool {
    let client = HTTPClient(concurrentTransfers: 1)
    defer { client.close() }
    let request = HTTPRequest(
      url: "http://localhost/healthz", timeoutSeconds: 5,
      unixSocketPath: directory.controlSocket, usesFreshConnection: true)
    return await eventually(within: seconds) {
      guard process.isRunning else { return false }
      let response = try? await client.send(request)
      return response?.status == 200 && log.contains("event=serving")
    }
  }
}
