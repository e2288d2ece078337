/// Random bytes from the operating system, for ids and jitter. They never decide what anybody is granted.
public enum RandomBytes {
  /// `count` random bytes.
  public static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
