import Described
import Failures
import StrictJSON

extension Failure {
  /// Returns the failure for standard error: ``text``, or one JSON object on its own line for each mistake.
  func text(in format: OutputFormat) -> String {
    guard format == .json else { return text }
    return ([self] + others.map { Failure(exitCode, $0) })
      .map { Self.output.text(of: $0) + "\n" }.joined()
  }

  /// The place and cause on one line, and the remedy on another if there is one. Text from outside is made plain and short.
  var text: String {
    let shown = cause.split(separator: "\n", omittingEmptySubsequences: false).map {
      ShownText.short(String($0), limit: Self.causeLimit)
    }.joined(separator: "\n")
    let place = place.map { "\(ShownText.short($0, limit: Self.placeLimit)): " } ?? ""
    let head = "rewards: \(place)\(shown)\n"
    let more = others.map { "rewards: \(ShownText.short($0, limit: Self.causeLimit))\n" }.joined()
    let remedy = remedy.map { "  \(ShownText.short($0, limit: Self.causeLimit))\n" } ?? ""
    return ShownText.plain(head + more + remedy)
  }

  /// A failure for programs.
  static let output = JSONMembers<Failure> {
    $0.add(
      "exitCode", \.exitCode.rawValue,
      "the code with which the command ends; 1 for a warning, 0 for a remark")
    $0.add("cause", \.cause, "what is wrong")
    $0.add("place", \.place, "file, line, key or argument")
    $0.add("remedy", \.remedy, "what to do")
  }

  private static let placeLimit = 300
  private static let causeLimit = 800
}
