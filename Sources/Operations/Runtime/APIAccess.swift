package import CheerAPI
import CivilTime
package import Configuration
import Foundations
import HTTPClient
import Scheduling

/// Access to the app's API, built from the configuration.
package struct APIAccess: Sendable {
  /// The API through which users are polled.
  package let api: CheerAPI
  private let http: any HTTPSending

  /// Creates access to the API; nil when no credentials are configured, so that its routes are no source of evidence.
  ///
  /// Throws when a secret is unreadable, or an address or zone is invalid.
  package init?(_ configuration: Configuration, _ environment: RuntimeEnvironment) throws {
    let settings = configuration.api
    guard let credentials = try Self.credentials(configuration, environment.variables) else {
      return nil
    }
    http = environment.connect(configuration.requestsAtOnce, .any)
    api = CheerAPI(
      CheerAPI.Settings(
        baseURL: try BaseURL(settings.baseURL),
        naiveZone: try environment.zones.zone(named: settings.timeZone),
        requestsPerSecond: configuration.requestsPerSecond,
        concurrency: configuration.requestsAtOnce,
        timeoutSeconds: Double(settings.timeoutSeconds)),
      credentials: credentials, http: http, clock: environment.clock,
      seed: environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) },
      serviceToken: { [variables = environment.variables] in
        try? Self.serviceToken(configuration, variables)
      })
    api.setAPIUsers(try Self.apiUsers(configuration))
  }

  /// Returns the ids of the API's in the configured roster; none if there is no roster.
  package static func apiUsers(_ configuration: Configuration) throws -> [String: String] {
    do throws(ReadError) {
      let text = try configuration.files.readInput(configuration.users, limitBytes: 1 << 30)
      // Most rosters have none, and need not be parsed.
      guard text.firstRange(of: Array("\"apiUser\"".utf8)) != nil else { return [:] }
      return RosterFile(text, of: { configuration.holds($0) }).apiUsers
    } catch {
      if error.isMissing { return [:] }
      throw error
    }
  }

  /// Reads the credentials again, so that users with expired credentials get another chance.
  func reload(_ configuration: Configuration, _ environment: RuntimeEnvironment) throws {
    if let source = try Self.credentials(configuration, environment.variables) {
      api.reload(source)
    }
  }

  /// Ends the client's thread.
  package func close() { http.close() }

  private static func credentials(
    _ configuration: Configuration, _ environment: [String: String]
  ) throws -> CredentialSource? {
    if let path = configuration.api.credentials {
      return .perUser(try CredentialFile.read(path: path, in: configuration.files))
    }
    return try serviceToken(configuration, environment).map { .serviceToken($0) }
  }

  private static func serviceToken(
    _ configuration: Configuration, _ environment: [String: String]
  ) throws -> Secret? {
    guard let token = configuration.api.token else { return nil }
    return Secret(
      String(
        decoding: try token.resolve(environment: environment, in: configuration.files).bytes,
        as: UTF8.self))
  }
}
