/// A part of an audit's page with a heading of its own.
protocol AuditPageSection: Sendable {
  /// The id by which the page links to it.
  static var id: String { get }
  /// Its heading.
  static var title: String { get }
  /// Hands what stands below the heading to `put`, in pieces and in order.
  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure)
}

extension AuditPageSection {
  /// Hands the whole section to `put`.
  func writeSection<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    try put("<section id=\"\(Self.id)\" aria-labelledby=\"h-\(Self.id)\">\n")
    try put("<h2 id=\"h-\(Self.id)\">\(Self.title)</h2>\n")
    try write(to: put)
    try put("</section>\n")
  }

  /// The section's entry in the table of contents.
  var link: HTML { "<li><a href=\"#\(Self.id)\">\(Self.title)</a></li>" }
}
