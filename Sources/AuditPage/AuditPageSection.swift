/// A section of an audit's page with its own heading.
protocol AuditPageSection: Sendable {
  /// The section's id, for links on the page.
  static var id: String { get }
  /// The section's heading.
  static var title: String { get }
  /// Passes the content below the heading to `put`, in pieces and in order.
  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure)
}

extension AuditPageSection {
  /// Passes the whole section to `put`.
  func writeSection<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    try put("<section id=\"\(Self.id)\" aria-labelledby=\"h-\(Self.id)\">\n")
    try put("<h2 id=\"h-\(Self.id)\">\(Self.title)</h2>\n")
    try write(to: put)
    try put("</section>\n")
  }

  /// The section's entry in the table of contents.
  var link: HTML { "<li><a href=\"#\(Self.id)\">\(Self.title)</a></li>" }
}
