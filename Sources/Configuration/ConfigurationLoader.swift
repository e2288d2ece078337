package import CivilTime
package import Failures
package import Foundations
internal import StrictJSON

/// Loads the configuration: flags override the environment, which overrides the file, which overrides the defaults.
package struct ConfigurationLoader: Sendable {
  private static let limitBytes = 1_048_576

  private let environment: [String: String]
  private let zones: any ZoneSource
  private let files: any FileSystem

  /// Creates a loader for this environment that looks up zone names in `zones` and reads from `files`.
  package init(
    environment: [String: String], zones: any ZoneSource,
    files: any FileSystem = PosixFileSystem()
  ) {
    self.files = files
    self.environment = environment
    self.zones = zones
  }

  /// Returns the configuration in force; throws one error that lists every mistake.
  ///
  /// `file` is the argument of `--config`. Without it the loader uses `$REWARDS_CONFIG`, then `./rewards.json`; only the
  /// latter may be missing. `flags` maps key paths to their values on the command line.
  package func load(
    file: String?, flags: [String: String] = [:]
  ) throws(ConfigurationError) -> Configuration {
    let named = file ?? environment["REWARDS_CONFIG"]
    let path = named ?? "rewards.json"
    let text: [UInt8]
    do throws(ReadError) {
      text = try files.readInput(path, limitBytes: Self.limitBytes)
    } catch {
      guard named == nil, error.isMissing else { throw .unreadable(error) }
      return try parse(Array("{}".utf8), path: path, isThere: false, flags: flags)
    }
    return try parse(text, path: path, isThere: true, flags: flags)
  }

  private func parse(
    _ text: [UInt8], path: String, isThere: Bool, flags: [String: String]
  ) throws(ConfigurationError) -> Configuration {
    let document = DocumentReader(text, allowingComments: true)
    let sheet = SettingsSheet(
      flags: flags, environment: environment, folder: FolderPath.parent(of: path))
    let root = SettingsSection(document.rootSection(), path: "", sheet: sheet)
    var configuration = Configuration(root, file: isThere ? path : nil, zones: zones)
    configuration.files = files
    sheet.noteUnknownVariables()
    let inFile = document.problems.sorted { $0.line < $1.line }.map {
      ConfigurationProblem(file: path, $0)
    }
    let problems = sheet.problems + inFile
    guard problems.isEmpty else { throw .invalid(problems) }
    return configuration
  }
}

/// The reason there is no configuration: the file cannot be read, or it contains mistakes.
package enum ConfigurationError: Error, Equatable, Sendable {
  /// The file that was named cannot be read.
  case unreadable(ReadError)
  /// Every mistake in the file, the environment and the flags; never empty.
  case invalid([ConfigurationProblem])
}

extension ConfigurationError: FailureConvertible {
  /// The failure to report: the unreadable file, or each mistake with its place.
  package var failure: Failure {
    switch self {
    case .unreadable(let error):
      Failure(
        error.isMissing ? .noInput : .configuration, error.what, place: error.path,
        remedy: "Name the configuration with --config FILE or $REWARDS_CONFIG.")
    case .invalid(let problems): Failure(.configuration, problems: problems.map(\.description))
    }
  }
}
