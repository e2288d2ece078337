internal import StrictJSON

/// The state that all sections of a configuration share: the layers above the file, and the findings so far.
///
/// The variable `REWARDS_API_BASE_URL` overrides the key `api.baseURL`: the path in capitals, with `_` for each dot and
/// before each word. Variables can set texts, numbers, booleans and comma-separated lists; secrets and sinks can be set
/// only in the file.
final class SettingsSheet {
  /// A value from a stronger layer, used instead of the file's.
  struct Override {
    let text: String
    let place: String
    let origin: EffectiveSetting.Origin
  }

  let flags: [String: String]
  let environment: [String: String]
  let folder: String
  private(set) var settings: [EffectiveSetting] = []
  private(set) var problems: [ConfigurationProblem] = []
  /// Whether nothing is read and every possible key is only described.
  let isDescribing: Bool
  private(set) var keys: [ConfigurationKey] = []

  init(
    flags: [String: String], environment: [String: String], folder: String,
    isDescribing: Bool = false
  ) {
    self.isDescribing = isDescribing
    self.flags = flags
    self.environment = environment
    self.folder = folder
  }

  /// Returns the value that a flag, or else the environment, gives the key at `path`.
  func override(of path: String) -> Override? {
    if let text = flags[path] {
      return Override(text: text, place: "--\(path)", origin: .flag)
    }
    let variable = Self.variable(for: path)
    guard let text = environment[variable] else { return nil }
    return Override(text: text, place: "$\(variable)", origin: .environment)
  }

  /// Environment variables that the program itself reads.
  static let ownVariables = [
    "REWARDS_CONFIG", "REWARDS_LOG_LEVEL", "REWARDS_LOG_FORMAT", "REWARDS_PAGER",
  ]
  /// Known variables that belong to no key, including those that hold the file's secrets.
  private var otherVariables = Set(ownVariables + ["REWARDS_DRAW_SECRET"])
  /// The paths of keys that no variable can set.
  private var onlyInFile: Set<String> = []

  /// Notes that the key at `path` refers to a secret, and which variable holds that secret, if any.
  func noteSecret(_ path: String, _ reference: SecretReference?) {
    onlyInFile.insert(path)
    if case .environment(let name) = reference { otherVariables.insert(name) }
  }

  /// Notes every `REWARDS_` variable that has no meaning, except those that Kubernetes sets for a service named `rewards`.
  func noteUnknownVariables() {
    let keys = settings.map(\.path).filter { !onlyInFile.contains($0) && !$0.hasPrefix("relay.") }
    let known = otherVariables.union(keys.map { Self.variable(for: $0) })
    let strangers = environment.keys.filter {
      $0.hasPrefix("REWARDS_") && !known.contains($0) && !Self.isServiceLink($0)
    }
    for name in strangers.sorted() {
      let nearest = NearestName.hint(for: name, among: known.sorted())
      problems.append(
        ConfigurationProblem(
          place: "$\(name)", path: "",
          what: "unknown variable\(nearest); secrets and sinks can only be set in the file"))
    }
  }

  /// Records a key; when a key is described more than once, the last description counts.
  func describe(_ key: ConfigurationKey) {
    guard isDescribing else { return }
    if let index = keys.firstIndex(where: { $0.path == key.path }) {
      keys[index] = key
    } else {
      keys.append(key)
    }
  }

  /// Marks the key at `path` as required in its section.
  func require(_ path: String) {
    guard let index = keys.firstIndex(where: { $0.path == path }) else { return }
    keys[index].isRequired = true
  }

  private static func isServiceLink(_ name: String) -> Bool {
    name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.hasSuffix("_PORT")
      || name.contains("_PORT_")
  }

  func record(_ path: String, _ value: String, _ origin: EffectiveSetting.Origin) {
    settings.append(EffectiveSetting(path: path, value: value, origin: origin))
  }

  func note(_ override: Override, _ path: String, _ what: String) {
    problems.append(ConfigurationProblem(place: override.place, path: path, what: what))
  }

  /// Returns a path from the file, relative to the working directory.
  func resolved(_ path: String) -> String {
    if path.isEmpty || path.hasPrefix("/") || folder == "." || path.contains("://") { return path }
    let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return folder.hasSuffix("/") ? folder + relative : "\(folder)/\(relative)"
  }

  /// Returns the name of the environment variable that overrides the key at `path`.
  static func variable(for path: String) -> String {
    var name = "REWARDS_"
    var previous: Character = "_"
    for character in path {
      if character == "." {
        name.append("_")
      } else {
        if character.isUppercase, previous.isLowercase { name.append("_") }
        name.append(contentsOf: character.uppercased())
      }
      previous = character
    }
    return name
  }
}

/// A value of the configuration in force, as text, with its origin. Of secrets it holds only the place.
package struct EffectiveSetting: Equatable, Sendable {
  /// The layer that a value came from, from weakest to strongest.
  package enum Origin: String, CaseIterable, Sendable {
    case `default`, file, environment, flag
  }

  /// The path of the key, as in `api.baseURL`.
  package let path: String
  /// The value, as text.
  package let value: String
  /// The layer it came from.
  package let origin: Origin
}
