/// A person's act.
public struct OperatorRecord: Sendable, Equatable {
  /// What was done.
  public var act: OperatorAct
  /// On what: a job, a key, `ZONE/DAY`, or a clock reading.
  public var subject: String
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

  /// The record with these fields.
  public init(
    act: OperatorAct, subject: String, reason: String, actor: String
  ) {
    self.act = act
    self.subject = subject
    self.reason = reason
    self.actor = actor
  }
}
