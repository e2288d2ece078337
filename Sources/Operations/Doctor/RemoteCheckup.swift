import CheerAPI
package import Configuration
import Evidence
import Failures
import Foundations
import Glibc
package import Scheduling

/// Checks what lies outside this program: the app's API, the sinks and the free disk space. Changes nothing.
package struct RemoteCheckup: Sendable {
  /// The free space below which to warn: one night of a million users needs several hundred megabytes.
  private static let leastFreeBytes: UInt64 = 1 << 30
  private static let usersAsked = 3

  private let configuration: Configuration
  private let roster: RosterFile?
  private let environment: RuntimeEnvironment

  /// Creates a checkup of this configuration and its roster.
  package init(
    _ configuration: Configuration, roster: RosterFile?, _ environment: RuntimeEnvironment
  ) {
    self.configuration = configuration
    self.roster = roster
    self.environment = environment
  }

  /// Returns one finding per subject. Takes as long as the API needs to answer or time out.
  package func findings() async -> [DoctorFinding] {
    var findings = [disk()]
    if let api = await api() { findings.append(api) }
    for sink in configuration.relay {
      if let finding = await reach(sink) { findings.append(finding) }
    }
    return findings
  }

  private func disk() -> DoctorFinding {
    var status = statvfs()
    // The folder may not exist yet; then check the one in which it will be created.
    let folder = access(configuration.data, F_OK) == 0 ? configuration.data : "."
    // For a data folder in a database, check the disk of the working directory, which receives the reports.
    guard statvfs(folder, &status) == 0 else {
      return DoctorFinding(
        "disk", .failed, ReadError(path: folder, code: errno).description,
        remedy: "check the data folder's file system")
    }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    guard free < Self.leastFreeBytes else {
      return DoctorFinding("disk", .well, "more than \(Self.leastFreeBytes >> 20) MiB free")
    }
    return DoctorFinding(
      "disk", .attention, "\(free >> 20) MiB free",
      remedy: "free some space, or let rewards ledger compact pack old segments")
  }

  /// Checks the API's routes. Nil, and nothing is polled, when no usable credentials are configured, which another
  /// finding reports.
  private func api() async -> DoctorFinding? {
    guard configuration.api.hasCredentials else { return nil }
    do {
      guard let access = try APIAccess(configuration, environment) else { return nil }
      defer { access.close() }
      let users = someUsers()
      if users.isEmpty, configuration.api.credentials != nil { return nil }
      environment.clock.beginWork()
      let answers = await probe(access.api, users)
      environment.clock.endWork()
      return APIFinding(
        url: configuration.api.baseURL, credentialPlace: credentialPlace(of:), routes: routes,
        answers: answers
      ).finding
    } catch is CredentialError {
      return nil
    } catch is SecretError {
      return nil
    } catch {
      return DoctorFinding(
        "API", .failed, "\(error)", remedy: "correct api.baseURL or api.timeZone")
    }
  }

  /// Polls each route for a few users, as the service would; stops at the first failure that other polls would meet
  /// too.
  private func probe(_ api: CheerAPI, _ users: [String]) async -> [APIFinding.Answer] {
    var answers: [APIFinding.Answer] = []
    // The API may not know this id; a 404 is an answer too.
    for user in users.isEmpty ? ["0"] : users {
      for route in routes {
        let before = api.counters
        let outcome = await api.look(at: route, user: user).outcome
        let after = api.counters
        answers.append(
          APIFinding.Answer(
            route: route, user: users.isEmpty ? nil : user,
            stoppedAtLogin: before.login != after.login
              && before.routes[route] == after.routes[route], outcome: outcome))
        switch outcome {
        case .answered, .counted, .failed(.userUnknown): continue
        case .failed: return answers
        }
      }
    }
    return answers
  }

  /// Returns where the credential for a user stands.
  private func credentialPlace(of user: String?) -> String {
    guard let file = configuration.api.credentials else {
      return configuration.api.token.map { "\($0)" } ?? "api.token"
    }
    return CredentialFile.place(of: user ?? "", path: file, in: configuration.files)
  }

  private var routes: [Source] {
    configuration.api.countsFollows ? Source.polled : Source.routes
  }

  /// Returns the first users of the roster who can be polled; without a roster, some who have credentials of their own.
  private func someUsers() -> [String] {
    var users = (roster?.entries ?? []).map(\.entry.user)
    if let file = configuration.api.credentials,
      let lines = try? CredentialFile.read(path: file, in: configuration.files)
    {
      users = users.isEmpty ? lines.keys.sorted() : users.filter { lines[$0] != nil }
    }
    return Array(users.prefix(Self.usersAsked))
  }

  private func reach(_ sink: Configuration.Sink) async -> DoctorFinding? {
    let name = "sink \(sink.name)"
    // If its secret is missing, the local checkup has already reported it.
    guard isSecretThere(sink) else { return nil }
    if case .file(let path) = sink.kind, FolderPath.parent(of: path) == configuration.data,
      access(configuration.data, F_OK) != 0
    {
      return DoctorFinding(
        name, .well, "\(path), in the data folder, which the first start creates")
    }
    do {
      let found = try await RelayTest(configuration, environment).check(sink)
      let next = sink.kind.secret == nil ? "" : "; rewards relay test \(sink.name) tries it"
      return DoctorFinding(name, .well, found + next)
    } catch let error as RuntimeError {
      return DoctorFinding(name, .failed, error.cause, remedy: error.remedy)
    } catch let error as Failure {
      return DoctorFinding(name, .failed, error.cause, remedy: error.remedy)
    } catch {
      return DoctorFinding(
        name, .failed, "\(error)",
        remedy: "correct it (see rewards help relay), then run rewards relay test"
      )
    }
  }

  private func isSecretThere(_ sink: Configuration.Sink) -> Bool {
    sink.kind.secret.map {
      (try? $0.resolve(environment: environment.variables, in: configuration.files)) != nil
    } ?? true
  }
}
