import CheerAPI
package import CivilTime
package import Configuration
import Failures
import Foundations
internal import Glibc
import LedgerStore
internal import RewardRules
package import Scheduling

/// Checks what the configuration names on this machine: files, folders, secrets and time zones. Changes nothing.
package struct LocalCheckup: Sendable {
  /// The age at which a tz database has missed releases; there are about three a year.
  private static let oldSeconds: Int64 = 300 * 86_400

  private let configuration: Configuration
  private let roster: RosterFile?
  private let environment: [String: String]
  private let zones: any ZoneSource
  private let now: Instant
  private let offeredTimeZones: String?

  /// Creates a checkup of this configuration and its roster; `offeredTimeZones` is the tz database release that the machine's package
  /// manager offers, from ``TimeZonePackage``.
  package init(
    _ configuration: Configuration, roster: RosterFile?, environment: [String: String],
    zones: any ZoneSource,
    now: Instant, offeredTimeZones: String? = nil
  ) {
    self.offeredTimeZones = offeredTimeZones
    self.configuration = configuration
    self.roster = roster
    self.environment = environment
    self.zones = zones
    self.now = now
  }

  /// Returns one finding per subject, in the order of the configuration.
  package func findings() -> [DoctorFinding] {
    [
      configurationFile(), dataFolder(), users(), rules(),
      secret("draw secret", configuration.drawSecret), openSecrets(), jobs(), credentials(),
      timeZones(), GroupCheckup(configuration, secrets: secretFiles).finding(),
    ].compactMap { $0 }
      + configuration.relay.compactMap { sink in
        sink.kind.secret.map { secret("sink \(sink.name)", $0) }
      }
      + configuration.sources.compactMap { source in
        source.token.map { secret("source \(source.name)", $0) }
      }
  }

  private func configurationFile() -> DoctorFinding {
    guard let file = configuration.file else {
      return DoctorFinding(
        "configuration", .attention, "there is no file, so the defaults apply",
        remedy: "create rewards.json, or name a file with --config FILE")
    }
    return DoctorFinding("configuration", .well, file)
  }

  private func dataFolder() -> DoctorFinding {
    let folder = configuration.data
    if DataDirectory(folder).isInDatabase { return DoctorFinding("data", .well, folder) }
    if access(folder, F_OK) != 0 {
      return DoctorFinding(
        "data", .attention, "\(folder) does not exist yet",
        remedy: "the first command that writes creates it")
    }
    guard access(folder, R_OK | W_OK | X_OK) == 0 else {
      return DoctorFinding(
        "data", .failed, ReadError(path: folder, code: errno).description,
        remedy: "let the service's user read and write it")
    }
    return DoctorFinding("data", .well, folder)
  }

  private func users() -> DoctorFinding {
    let finding = readable(
      "users", configuration.users,
      remedy: "create it, or import users with \"rewards users import\"")
    guard let roster, finding.state == .well else { return finding }
    let zone = { (entry: RosterEntry) in entry.zone ?? configuration.defaultTimeZone }
    let strange = Set(roster.entries.map { zone($0.entry) }).filter {
      (try? zones.zone(named: $0)) == nil
    }
    let refused =
      roster.problems
      + roster.entries.filter { strange.contains(zone($0.entry)) }.map {
        RosterProblem(line: $0.line, what: "unknown time zone \"\(zone($0.entry))\"")
      }
    guard let first = refused.min(by: { $0.line < $1.line }) else { return finding }
    let more = refused.count > 1 ? "; \(refused.count) lines are refused" : ""
    return DoctorFinding(
      "users", .attention, "\(configuration.users), \(first)\(more)",
      remedy: "correct it; the service refuses such a line and reads the others")
  }

  private func jobs() -> DoctorFinding {
    readable("jobs", configuration.jobs, remedy: "set \"jobs\" to the folder of job files")
  }

  private func readable(_ name: String, _ path: String, remedy: String) -> DoctorFinding {
    guard access(path, R_OK) == 0 else {
      let what = ReadError(path: path, code: errno).description
      return DoctorFinding(name, .attention, what, remedy: remedy)
    }
    return DoctorFinding(name, .well, path)
  }

  private func rules() -> DoctorFinding {
    do {
      let documents = try RulesFiles.load(configuration)
      let names = documents.map(\.document.version).joined(separator: ", ")
      return DoctorFinding(
        "rules", .well, configuration.rules.isEmpty ? "the built-in rules" : names)
    } catch let error as RulesFileProblems {
      return DoctorFinding(
        "rules", .failed, error.lines.first ?? error.file,
        remedy: "\"rewards rules check \(error.file)\" lists every mistake")
    } catch {
      return DoctorFinding(
        "rules", .failed, "\(error)", remedy: "correct the list \"rules\"")
    }
  }

  private func secret(_ name: String, _ reference: SecretReference) -> DoctorFinding {
    do throws(SecretError) {
      _ = try reference.resolve(environment: environment, in: configuration.files)
      return DoctorFinding(name, .well, "\(reference), masked")
    } catch {
      return DoctorFinding(name, .failed, "\(error)", remedy: reference.remedy(in: secretsFile))
    }
  }

  private func credentials() -> DoctorFinding {
    let name = "API credentials"
    guard let file = configuration.api.credentials else {
      guard let token = configuration.api.token else {
        return DoctorFinding(
          name, .failed, "there are none",
          remedy: "set them: \"api\": {\"token\": {\"env\": \"CHEER_API_TOKEN\"}}")
      }
      return secret(name, token)
    }
    do throws(CredentialError) {
      let lines = try CredentialFile.read(path: file, in: configuration.files)
      let users = (roster?.entries ?? []).map(\.entry.user)
      let missing = users.filter { lines[$0] == nil }
      guard let first = missing.first else {
        return DoctorFinding(
          name, .well, "\(file): \(lines.count) \(lines.count == 1 ? "user" : "users")")
      }
      return DoctorFinding(
        name, missing.count == users.count ? .failed : .attention,
        "\(file) has no line for user \(first): \(users.count - missing.count) of \(users.count) users have one",
        remedy: "add one for each; the others are not polled, so their days stay unknown")
    } catch {
      let failure = error.failure
      return DoctorFinding(
        name, .failed, "\(failure.place ?? file): \(failure.cause)",
        remedy: failure.remedy
          ?? "the file must exist, readable by its owner only: chmod 600 \(file)")
    }
  }

  private func timeZones() -> DoctorFinding {
    let age = zones.age(at: now).map { ", \($0)" } ?? ""
    guard zones.version != "unknown" else {
      return DoctorFinding(
        "time zones", .attention,
        "the system does not say which version its time zone database has\(age)",
        remedy: "install the package tzdata")
    }
    let what = "tzdata \(zones.version)\(age)"
    if let offeredTimeZones, TimeZonePackage.isNewer(offeredTimeZones, than: zones.version) {
      return DoctorFinding(
        "time zones", .attention, "\(what); this machine's packages offer \(offeredTimeZones)",
        remedy: "run apt-get install tzdata, then send SIGHUP to the service")
    }
    guard let builtAt = zones.builtAt, now.seconds(since: builtAt) > Self.oldSeconds else {
      return DoctorFinding("time zones", .well, what)
    }
    return DoctorFinding(
      "time zones", .attention, what,
      remedy:
        "update the tzdata package; some governments change their clock rules every year")
  }

  /// The files with secrets that the service reads.
  private var secretFiles: [String] {
    let references: [SecretReference?] =
      [configuration.drawSecret, configuration.api.token, configuration.admin.token]
      + configuration.relay.map(\.kind.secret) + configuration.sources.map(\.token)
    return [secretsFile, configuration.api.credentials].compactMap { $0 }
      + references.compactMap { reference -> String? in
        guard case .file(let path)? = reference else { return nil }
        return path
      }
  }

  /// The file that `rewards init` wrote beside the configuration for the service's variables; nil without one.
  private var secretsFile: String? {
    let file = "\(FolderPath.parent(of: configuration.file ?? ""))/secrets.env"
    return access(file, F_OK) == 0 ? file : nil
  }

  /// Returns whether others could read the secrets; nil, and no finding, while they cannot.
  private func openSecrets() -> DoctorFinding? {
    var status = stat()
    guard let file = secretsFile, stat(file, &status) == 0, status.st_mode & 0o007 != 0 else {
      return nil
    }
    return DoctorFinding(
      "secrets", .failed, "everybody on this machine may read \(file)",
      remedy: "run chmod o= \(file), and replace the secrets in it if others have seen them")
  }
}

extension Configuration {
  /// Returns the roster; nil when it cannot be read.
  package func readRoster() -> RosterFile? {
    (try? files.readInput(users, limitBytes: 1 << 30)).map { RosterFile($0) }
  }
}
