/// Waits for something outside of this process to become true; returns whether it did.
///
/// Looks again and again. The bound only ends a test that would hang: no machine is busy enough to reach it.
public func eventually(_ isTrue: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now.advanced(by: .seconds(300))
  while ContinuousClock.now < deadline {
    if try await isTrue() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return try await isTrue()
}
