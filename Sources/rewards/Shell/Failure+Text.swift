import Failures
import StrictJSON

extension Failure {
  /// Returns the failure for standard error: ``text``, or one JSON object on its own line for each mistake.
  func text(in format: OutputFormat) -> String {
    guard format == .json else { return text }
    return ([(cause, place, remedy)] + others.map { ($0, nil, nil) }).map { cause, place, remedy in
      var json = JSONWriter()
      json.beginObject()
      json.member("exitCode", exitCode.rawValue)
      json.member("cause", cause)
      json.member("place", place)
      json.member("remedy", remedy)
      json.endObject()
      return json.text + "\n"
    }.joined()
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

  private static let placeLimit = 300
  private static let causeLimit = 800
}
