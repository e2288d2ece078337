import Foundation
import Sandbox

/// `wrk` with one thread and as many connections as ours, on the same paths.
struct WrkPeer {
  let folder: TemporaryFolder
  let baseURL: String
  let seconds: Int

  /// Prepares wrk; nil if it is not installed.
  init?(paths: String, baseURL: String, seconds: Int) throws {
    guard PeerProcess.exists("wrk") else { return nil }
    self.baseURL = baseURL
    self.seconds = seconds
    folder = try TemporaryFolder()
    let prefix = URL(string: baseURL)?.path ?? ""
    let full = paths.split(separator: "\n").map { prefix + $0 + "\n" }.joined()
    try full.write(toFile: "\(folder.path)/paths", atomically: false, encoding: .utf8)
    try Data(PackageResources.wrk_lua).write(to: URL(fileURLWithPath: "\(folder.path)/wrk.lua"))
  }

  /// Returns the requests per second of one run.
  func run() throws -> Double {
    let wrk = try PeerProcess(
      "wrk",
      [
        "-t1", "-c\(Sweep.connections)", "-d\(seconds)s", "-s", "\(folder.path)/wrk.lua", baseURL,
        "--", "\(folder.path)/paths", SimulatedAPIOptions().token,
      ])
    let report = wrk.readToEnd()
    if report.contains("Non-2xx") || report.contains("Socket errors") {
      throw PeerFailure(what: "wrk met errors:\n\(report)")
    }
    let line = report.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
    let text = line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    guard let rate = text.flatMap(Double.init) else {
      throw PeerFailure(what: "wrk gave no rate:\n\(report)")
    }
    return rate
  }
}
