package import Configuration
import Foundations
internal import Glibc
import HTTPServer
import LedgerStore

/// Tries what a service does at its start: writes to its folders, takes the lock and listens on its addresses. Removes
/// whatever it wrote.
package struct ServiceCheckup: Sendable {
  private let configuration: Configuration

  /// Creates a checkup of this configuration.
  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// Returns one finding per subject.
  package func findings() async -> [DoctorFinding] {
    do {
      return try await BlockingThread(named: "rewards.doctor").run { tryAll() }
    } catch {
      return [DoctorFinding("service", .failed, "\(error)", remedy: "check the system log")]
    }
  }

  private func tryAll() -> [DoctorFinding] {
    let directory = configuration.directory
    if directory.isInDatabase {
      // rewards store status shows who holds the lease. Requesting it here would take it from a service that was cut off.
      let control = control(directory)
      guard control.state == .failed else { return [control, listen(.freely)] }
      let what = "a service on this machine has its control socket"
      return [DoctorFinding("lock", .well, what), listen(.held(what))]
    }
    guard access(directory.path, F_OK) == 0 else {
      return [makeData(directory.path), listen(.freely)]
    }
    let holder = holder(of: directory)
    var findings = [write(directory), lock(holder)]
    if case .free = holder { findings.append(control(directory)) }
    return findings + [listen(holder)]
  }

  /// Checks whether the missing data folder could be created.
  private func makeData(_ path: String) -> DoctorFinding {
    var parent = FolderPath.parent(of: path)
    while parent != "/", parent != ".", access(parent, F_OK) != 0 {
      parent = FolderPath.parent(of: parent)
    }
    guard let failure = writeFailure(in: parent) else {
      return DoctorFinding("writing", .well, "\(path) can be created")
    }
    return DoctorFinding(
      "writing", .failed, "\(path) cannot be created: \(failure)", remedy: failure.remedy)
  }

  private func write(_ directory: DataDirectory) -> DoctorFinding {
    let all: [String] =
      [
        directory.path, directory.ledger, directory.relay, directory.state, directory.looks,
      ]
      + ([nil] + configuration.sources.map(\.name)).flatMap {
        directory.inbox(of: $0).folders
      }
    for folder in all where access(folder, F_OK) == 0 {
      if let failure = writeFailure(in: folder) {
        return DoctorFinding("writing", .failed, "\(failure)", remedy: failure.remedy)
      }
    }
    return DoctorFinding("writing", .well, "\(directory.path) and its folders are writable")
  }

  /// Returns why no file can be written to a folder, or nil when one can.
  private func writeFailure(in folder: String) -> FileError? {
    // Code that reads these folders skips names like this one.
    let path = "\(folder)/.doctor-\(getpid())"
    do throws(FileError) {
      try configuration.files.replace(path, with: [Array("a trial\n".utf8)])
      try configuration.files.remove(path)
      return nil
    } catch {
      return error
    }
  }

  /// The holder of the data folder.
  private enum Holder {
    case free
    /// Nobody, because the folder does not exist yet.
    case freely
    case held(String)
    case unknown(LedgerError)
  }

  private func holder(of directory: DataDirectory) -> Holder {
    do throws(LedgerError) {
      _ = try WriterLock(directory, command: "rewards doctor")
      return .free
    } catch {
      return error.kind == .locked ? .held(error.cause) : .unknown(error)
    }
  }

  private func lock(_ holder: Holder) -> DoctorFinding {
    switch holder {
    case .free, .freely: DoctorFinding("lock", .well, "no process holds the data folder")
    case .held(let what): DoctorFinding("lock", .well, what)
    case .unknown(let error):
      DoctorFinding("lock", .failed, "\(error.place): \(error.cause)", remedy: error.remedy)
    }
  }

  private func control(_ directory: DataDirectory) -> DoctorFinding {
    listen(at: .unixSocket(path: directory.controlSocket), "control socket")
  }

  private func listen(_ holder: Holder) -> DoctorFinding {
    let admin = configuration.admin
    let finding = listen(at: .tcp(host: admin.host, port: admin.port), "admin address")
    if case .held(let what) = holder, finding.state == .failed {
      return DoctorFinding(
        finding.name, .well, "\(admin.host):\(admin.port) is in use, and \(what)")
    }
    return finding
  }

  private func listen(at address: ListenAddress, _ name: String) -> DoctorFinding {
    do throws(HTTPServerError) {
      try address.tryToListen()
      return DoctorFinding(name, .well, "\(address) is free to listen on")
    } catch {
      return DoctorFinding(name, .failed, "\(address): \(error.cause)", remedy: error.remedy)
    }
  }
}
