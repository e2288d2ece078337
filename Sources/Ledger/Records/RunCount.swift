/// One figure of a run.
public struct RunCount: Sendable, Equatable {
  /// What was counted.
  public var name: String
  /// How many.
  public var value: Int64

  /// A value with these fields.
  public init(
    name: String, value: Int64
  ) {
    self.name = name
    self.value = value
  }
}
