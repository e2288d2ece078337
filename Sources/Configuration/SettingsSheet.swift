internal import StrictJSON

/// What the sections of one configuration share: the layers above the file, and what has been found so far.
///
/// A key `api.baseURL` is overridden by the variable `REWARDS_API_BASE_URL`: the path in capitals, with `_` for each dot
/// and before each word. Texts, numbers, truth values and lists (divided by commas) can be set so; secrets and sinks
/// only in the file.
final class SettingsSheet {
  /// A value that a stronger layer gives in the file's stead.
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
  /// Whether nothing is read, and each key that could be there is only described.
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

  /// What a flag or else the environment says about the key at `path`.
  func override(of path: String) -> Override? {
    if let text = flags[path] {
      return Override(text: text, place: "--\(path)", origin: .flag)
    }
    let variable = Self.variable(for: path)
    guard let text = environment[variable] else { return nil }
    return Override(text: text, place: "$\(variable)", origin: .environment)
  }

  /// Variables that the program itself reads.
  static let ownVariables = ["REWARDS_CONFIG", "REWARDS_LOG_LEVEL", "REWARDS_LOG_FORMAT"]
  /// Variables that mean something besides those of keys: secrets of the file among them.
  private var otherVariables = Set(ownVariables + ["REWARDS_DRAW_SECRET"])
  /// Paths of keys that no variable sets.
  private var onlyInFile: Set<String> = []

  /// Notes that the key at `path` is a secret's, and the variable that holds it, if one does.
  func noteSecret(_ path: String, _ reference: SecretReference?) {
    onlyInFile.insert(path)
    if case .environment(let name) = reference { otherVariables.insert(name) }
  }

  /// Notes every variable that begins with `REWARDS_` and means nothing. Those that Kubernetes sets for a service of that name
  /// are its own.
  func noteStrangers() {
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
          what: "means nothing\(nearest); secrets and sinks are set in the file only"))
    }
  }

  /// Notes a key; of several descriptions of one, the last counts.
  func describe(_ key: ConfigurationKey) {
    guard isDescribing else { return }
    if let index = keys.firstIndex(where: { $0.path == key.path }) {
      keys[index] = key
    } else {
      keys.append(key)
    }
  }

  /// Describes a key as one without which its section means nothing.
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

  /// A path of the file, relative to the working directory.
  func resolved(_ path: String) -> String {
    if path.isEmpty || path.hasPrefix("/") || folder == "." || path.contains("://") { return path }
    let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return folder.hasSuffix("/") ? folder + relative : "\(folder)/\(relative)"
  }

  /// The environment variable that overrides the key at `path`.
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

/// One value of the configuration in force, as text, and who decided it. Secrets show only where they are kept.
public struct EffectiveSetting: Equatable, Sendable {
  /// Who decided a value, from the weakest to the strongest.
  public enum Origin: String, Sendable {
    case `default`, file, environment, flag
  }

  /// The path of the key, as `api.baseURL`.
  public let path: String
  /// The value, as text.
  public let value: String
  /// Who decided it.
  public let origin: Origin
}
