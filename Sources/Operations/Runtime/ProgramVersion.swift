/// The version of this program, as in `genesis` records, `rewards version` and metrics.
public enum ProgramVersion {
  /// The version text, by Semantic Versioning.
  public static let text = "0.1.0"
}
