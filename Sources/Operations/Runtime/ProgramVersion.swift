/// The version of this program, as in `genesis` records, `rewards version` and metrics.
package enum ProgramVersion {
  /// The version text, by Semantic Versioning.
  package static let text = "1.2.0"
}
