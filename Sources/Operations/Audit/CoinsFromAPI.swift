import CheerAPI
import CivilTime
package import Configuration
import Evidence
import Failures
import Ledger
import LedgerStore
import Scheduling

/// Fetches each user's Cheer coins from the app, over route 198.
package enum CoinsFromAPI {
  /// Returns the app's balance of every user who has not left, in the order of the ledger. A user whose balance could not be
  /// fetched is included, with the cause. Obeys the configured rate and number of concurrent requests, like polling.
  ///
  /// Throws when there is no ledger, and ``Failures/Failure`` when no credentials are configured.
  package static func read(
    _ configuration: Configuration, _ environment: RuntimeEnvironment
  ) async throws -> [OutsideBalance] {
    guard let access = try APIAccess(configuration, environment) else {
      throw Failure(
        .configuration, "polling the app's API for coins needs credentials",
        remedy: "Set api.token or api.credentials.")
    }
    defer { access.close() }
    let state = try await StateReading.read(LedgerReading.open(configuration.directory))
    let users = state.accounts.indices.lazy.map { state.account(at: $0) }
      .filter(\.isPresent).map { (id: $0.id, isPseudonym: $0.isPseudonym) }
    return try await fetchBalances(
      from: access.api, of: Array(users), environment.clock, configuration.api)
  }

  private static func fetchBalances(
    from api: CheerAPI, of users: [(id: String, isPseudonym: Bool)], _ clock: any ServiceClock,
    _ settings: Configuration.API
  ) async throws -> [OutsideBalance] {
    var balances: [OutsideBalance?] = Array(repeating: nil, count: users.count)
    try await clock.forEach(in: users.enumerated(), atMost: settings.concurrency) { index, user in
      let outcome =
        api.canName(user.id, isPseudonym: user.isPseudonym)
        ? await api.coins(of: user.id) : .failed(.noAPIUser)
      return (index, OutsideBalance(user.id, outcome))
    } finished: { index, balance in
      balances[index] = balance
    }
    return balances.compactMap(\.self)
  }
}

extension OutsideBalance {
  fileprivate init(_ user: String, _ outcome: Look.Outcome) {
    switch outcome {
    // "Nothing yet" means no coins.
    case .counted(let amount, _): self.init(user: user, coins: amount ?? 0)
    case .failed(let cause):
      self.init(user: user, coins: nil, problem: "route 198 failed: \(cause.rawValue)")
    case .answered: self.init(user: user, coins: nil, problem: "route 198 returned no number")
    }
  }
}
