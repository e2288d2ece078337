import CivilTime
import Operations

/// Waits for something to become true, looking again and again until `seconds` have passed; returns whether it did.
func eventually(
  within seconds: Int64 = 20, _ isTrue: () async throws -> Bool
) async rethrows -> Bool {
  let clock = SystemClock()
  let deadline = clock.now().adding(seconds: seconds)
  while clock.now() < deadline {
    if try await isTrue() { return true }
    try? await clock.sleep(seconds: 0.01)
  }
  return try await isTrue()
}
