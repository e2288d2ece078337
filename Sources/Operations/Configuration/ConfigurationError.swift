/// Why there is no configuration: the file cannot be read, or it holds mistakes.
public enum ConfigurationError: Error, Equatable, Sendable {
  /// The file that was named cannot be read.
  case unreadable(ReadError)
  /// All mistakes in the file, the environment and the flags; never empty.
  case invalid([ConfigurationProblem])
}
