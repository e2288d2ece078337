import CheerAPI
public import Configuration
import Evidence
import Files
import Glibc
import HTTPClient
public import Operations
import Scheduling

/// Looks at what lies beyond this program: the app's API, the sinks, the space on the disk. Changes nothing.
public struct RemoteCheckup: Sendable {
  private static let longestSeconds = 10.0
  /// Less than this is worth a word: a night of a million users takes some hundred megabytes.
  private static let leastFreeBytes: UInt64 = 1 << 30

  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// A look around for this configuration.
  public init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// One finding per thing; takes as long as the API takes to answer, or to be given up.
  public func findings() async -> [DoctorFinding] {
    var findings = [disk()]
    if let api = await api() { findings.append(api) }
    for sink in configuration.relay {
      if let finding = await reach(sink) { findings.append(finding) }
    }
    return findings
  }

  private func disk() -> DoctorFinding {
    var status = statvfs()
    // The folder may not be there yet: then it is the one in which it will be made.
    let folder = access(configuration.data, F_OK) == 0 ? configuration.data : "."
    guard statvfs(folder, &status) == 0 else {
      return DoctorFinding(
        "disk", .failed, ReadError(path: folder, code: errno).description,
        remedy: "look at the file system of the data folder")
    }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    guard free < Self.leastFreeBytes else {
      return DoctorFinding("disk", .well, "more than \(Self.leastFreeBytes >> 20) MiB free")
    }
    return DoctorFinding(
      "disk", .attention, "\(free >> 20) MiB free",
      remedy: "free some space, or let rewards ledger compact pack old segments")
  }

  /// Nil when no credentials are configured: then its routes are left out.
  private func api() async -> DoctorFinding? {
    let name = "API"
    let remedy = "check api.baseURL, the network and its proxy or firewall"
    guard configuration.api.token != nil else {
      guard configuration.api.credentials != nil else { return nil }
      // Whose credentials to spend on a question is not for a check-up to choose.
      return await reach(configuration.api.baseURL, name, remedy: remedy)
    }
    do {
      guard let access = try APIAccess(configuration, environment) else { return nil }
      defer { access.close() }
      environment.clock.beginWork()
      let look = await access.api.look(at: .lastStream, user: someUser())
      environment.clock.endWork()
      return finding(of: look.outcome, name, remedy: remedy)
    } catch {
      return DoctorFinding(name, .failed, "\(error)", remedy: "correct api.baseURL and the token")
    }
  }

  private func finding(
    of outcome: LookOutcome, _ name: String, remedy: String
  ) -> DoctorFinding {
    let url = configuration.api.baseURL
    switch outcome {
    case .answered, .failed(.userUnknown):
      return DoctorFinding(name, .well, "\(url) answers and takes the token")
    case .failed(.unauthorized), .failed(.forbidden):
      return DoctorFinding(
        name, .failed, "\(url) refuses the token", remedy: "put a valid one where api.token says")
    case .failed(let cause):
      return DoctorFinding(name, .failed, "\(url): \(cause.rawValue)", remedy: remedy)
    }
  }

  /// Somebody of the roster; otherwise an id that the API may not know, which is an answer too.
  private func someUser() -> String {
    guard let text = try? WholeFile.read(configuration.users, limitBytes: 1 << 30) else {
      return "0"
    }
    return RosterFile(text).entries.first?.entry.user ?? "0"
  }

  private func reach(_ sink: Configuration.Sink) async -> DoctorFinding? {
    let name = "sink \(sink.name)"
    switch sink.kind {
    case .file(let path):
      let target = access(path, F_OK) == 0 ? path : FolderPath.parent(of: path)
      guard access(target, W_OK) == 0 else {
        return DoctorFinding(
          name, .failed, ReadError(path: target, code: errno).description,
          remedy: "make the folder, and let the user of the service write there")
      }
      return DoctorFinding(name, .well, path)
    case .webhook(let url, _):
      return await reach(url, name, remedy: "check the sink's url and the network")
    case .fcm:
      return nil
    }
  }

  /// Asks for `url` without credentials: any answer shows that somebody is there.
  private func reach(_ url: String, _ name: String, remedy: String) async -> DoctorFinding {
    let http = HTTPClient(concurrentTransfers: 1)
    defer { http.close() }
    let seconds = min(Self.longestSeconds, Double(configuration.api.timeoutSeconds))
    do {
      let answer = try await http.send(HTTPRequest(url: url, timeoutSeconds: seconds))
      return DoctorFinding(name, .well, "\(url) answers (status \(answer.status))")
    } catch {
      return DoctorFinding(name, .failed, "\(url): \(error)", remedy: remedy)
    }
  }
}
