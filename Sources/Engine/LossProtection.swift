/// How much of what a plan takes from a user a waiver gives back.
public enum LossProtection: String, Sendable {
  /// All of it: nobody loses what they were given.
  case everything
  /// So much that no balance of points or coins, and no exp, falls below zero.
  case balances
  /// Nothing.
  case nothing
}
