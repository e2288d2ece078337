import Foundation
import Foundations
import HTTPClient
import LedgerStore
import TestSupport

/// A run of the built program, as an operator starts it.
final class ServiceProcess: Sendable {
  private let child: ChildProcess
  private let errors: String
  private let directory: DataDirectory

  /// Starts `rewards WORDS` on the configuration of `place`.
  init(_ place: TestPlace, _ words: [String] = ["serve"], data: String? = nil) throws {
    directory = data.map { DataDirectory($0) } ?? place.directory
    errors = "\(place.path)/errors-\(UUID().uuidString)"
    child = try ChildProcess(
      BuiltPrograms.rewards,
      words + ["--config", "\(place.path)/rewards.json", "--log-level", "info"],
      environment: [:], output: .null, errors: .file(errors))
  }

  deinit { kill() }

  /// What it wrote to standard error so far.
  var log: String {
    String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self)
  }

  var isRunning: Bool { child.outcome == nil }

  /// Ends the process as a power failure would.
  func kill() { child.send(signal: SIGKILL) }

  /// Asks the process to end.
  func terminate() { child.send(signal: SIGTERM) }

  /// Makes the process read users and rules again.
  func reload() { child.send(signal: SIGHUP) }

  /// The exit code, or the number of the signal with a minus; nil when it does not end.
  func ended() async -> Int32? {
    guard await eventually({ !isRunning }) else { return nil }
    switch child.outcome {
    case .exited(let code): return code
    case .killed(let signal): return -signal
    case nil: return nil
    }
  }

  /// Whether the process comes to answer on its control socket.
  func answers() async -> Bool {
    let client = HTTPClient(concurrentTransfers: 1)
    defer { client.close() }
    let request = HTTPRequest(
      url: "http://localhost/healthz", timeoutSeconds: 5,
      unixSocketPath: directory.controlSocket, usesFreshConnection: true)
    return await eventually {
      guard isRunning else { return false }
      let response = try? await client.send(request)
      return response?.status == 200 && log.contains("event=serving")
    }
  }
}
