import CivilTime
public import StrictJSON

/// A key that the configuration may have, as whoever reads it tells.
public struct ConfigurationKey: Sendable, Equatable {
  /// The path, as `api.baseURL`; keys of sinks stand under their kind, as `relay.webhook.url`.
  public let path: String
  /// What may stand there.
  public let shape: JSONShape
  /// What holds when it does not, as the file would write it; empty for nothing.
  public let preset: String
  /// Whether its section means nothing without it.
  public internal(set) var isRequired = false
}

/// Stands in for the time zones where no name is looked up.
private struct NoZones: ZoneSource {
  let version = "none"

  func zone(named name: String) throws(ZoneError) -> Zone {
    throw ZoneError(name: name, what: "no zone is looked up here")
  }
}

extension Configuration {
  /// Every key, in the order in which the file is read.
  public static let keys: [ConfigurationKey] = {
    let sheet = SettingsSheet(flags: [:], environment: [:], folder: ".", isDescribing: true)
    _ = Configuration(SettingsSection(nil, path: "", sheet: sheet), file: nil, zones: NoZones())
    return sheet.keys
  }()

  /// Variables that the program reads and that are no key's.
  public static let ownVariables = SettingsSheet.ownVariables

  /// The whole file; `help` tells what the key at a path means.
  public static func shape(help: (_ path: String) -> String) -> JSONShape {
    .object(fields(below: "", help))
  }

  private static func fields(
    below path: String, _ help: (_ path: String) -> String
  ) -> [JSONShape.Field] {
    let below = keys.filter { $0.path.hasPrefix(path) }
    var names: [String] = []
    for key in below {
      let name = String(key.path.dropFirst(path.count).prefix { $0 != "." })
      if !names.contains(name) { names.append(name) }
    }
    return names.map { name in
      let own = path + name
      if let key = below.first(where: { $0.path == own }) {
        return .init(name, key.shape, isOptional: !key.isRequired, help: help(own))
      }
      guard own == "relay" else {
        return .init(name, .object(fields(below: "\(own).", help)), isOptional: true)
      }
      let kinds = Sink.kinds.map { JSONShape.object(fields(below: "\(own).\($0).", help)) }
      return .init(name, .map(.either(kinds)), isOptional: true)
    }
  }
}
