import CivilTime
package import StrictJSON

/// A key that the configuration may contain, as recorded by the code that reads it.
package struct ConfigurationKey: Sendable, Equatable {
  /// The path, as in `api.baseURL`; keys of sinks are listed under their kind, as in `relay.webhook.url`.
  package let path: String
  /// The values that it accepts.
  package let shape: JSONShape
  /// The default, as the file would write it; empty when there is none.
  package let preset: String
  /// Whether its section is meaningless without it.
  package internal(set) var isRequired = false
}

/// A zone source for reads that look up no zone.
private struct NoZones: ZoneSource {
  let version = "none"

  func zone(named name: String) throws(ZoneError) -> Zone {
    throw ZoneError(name: name, what: "no zone is looked up here")
  }
}

extension Configuration {
  /// Every key, in the order in which the file is read.
  package static let keys: [ConfigurationKey] = {
    let sheet = SettingsSheet(flags: [:], environment: [:], folder: ".", isDescribing: true)
    _ = Configuration(SettingsSection(nil, path: "", sheet: sheet), file: nil, zones: NoZones())
    return sheet.keys
  }()

  /// Environment variables that the program reads and that override no key.
  package static let ownVariables = SettingsSheet.ownVariables

  /// Returns the shape of the whole file; `help` describes the key at a path.
  package static func shape(help: (_ path: String) -> String) -> JSONShape {
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
