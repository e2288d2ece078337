/// How a simulated API is set up.
public struct SimulatedAPIOptions: Sendable {
  /// How far the answers lag behind the true lives.
  public var lagSeconds: Int64
  /// The offset from UTC of texts without a zone; Asia/Tokyo's by default.
  public var offsetSeconds: Int32
  /// A token that is good from the start.
  public var token: String
  /// How long a token is good; nil for ever.
  public var tokenLifetimeSeconds: Int64?
  /// The password of every account at route 100; the e-mail address is anything.
  public var password: String
  /// The most watched streams that an answer lists: more than two weeks of any life hold.
  public var watchedLimit: Int

  /// A set-up; the defaults are those of the app.
  public init(
    lagSeconds: Int64 = 10, offsetSeconds: Int32 = 32_400, token: String = "sandbox-token",
    tokenLifetimeSeconds: Int64? = nil, password: String = "sandbox-password",
    watchedLimit: Int = 50
  ) {
    self.lagSeconds = lagSeconds
    self.offsetSeconds = offsetSeconds
    self.token = token
    self.tokenLifetimeSeconds = tokenLifetimeSeconds
    self.password = password
    self.watchedLimit = watchedLimit
  }
}
