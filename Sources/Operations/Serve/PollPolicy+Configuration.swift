import Scheduling

extension PollPolicy {
  /// The policy that the configuration asks for.
  init(_ configuration: Configuration) {
    self.init(
      everySeconds: Int64(configuration.poll.everyMinutes) * 60,
      lastCallSeconds: Int64(configuration.poll.lastCallSeconds),
      firstCallSeconds: Int64(configuration.poll.firstCallSeconds),
      lagSeconds: Int64(configuration.api.lagSeconds),
      // Three routes a user.
      usersPerSecond: Double(configuration.api.requestsPerSecond) / 3)
  }
}
