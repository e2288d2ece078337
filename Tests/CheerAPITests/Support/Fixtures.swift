import CheerAPI
import CivilTime
import Evidence
import Foundations
import HTTPClient
import Scheduling

let tokyo: Zone = {
  do { return try SystemZones(directory: nil).zone(named: "Asia/Tokyo") } catch {
    preconditionFailure("\(error)")
  }
}()

/// 2026-11-20T12:00:00Z and so many seconds.
func noon(_ seconds: Int64 = 0) -> Instant { Instant(seconds: 1_795_176_000 + seconds) }

/// The API in front of `http`, fast enough not to be in the way unless a test says otherwise.
func makeAPI(
  _ http: any HTTPSending, clock: any ServiceClock,
  credentials: CredentialSource = .serviceToken(Secret("service")),
  baseURL: String = "http://api/v1",
  requestsPerSecond: Double = 1_000_000, concurrency: Int = 64, timeoutSeconds: Double = 10,
  serviceToken: @escaping @Sendable () -> Secret? = { nil }
) throws -> CheerAPI {
  CheerAPI(
    CheerAPI.Settings(
      baseURL: try BaseURL(baseURL), naiveZone: tokyo, requestsPerSecond: requestsPerSecond,
      concurrency: concurrency, timeoutSeconds: timeoutSeconds),
    credentials: credentials, http: http, clock: clock, seed: 1,
    serviceToken: serviceToken)
}

extension Look.Outcome {
  static let nothing = Look.Outcome.answered([], refused: [])
}
