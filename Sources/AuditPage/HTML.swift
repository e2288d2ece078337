/// Markup. A literal is taken as it stands, what is interpolated into it is escaped: what others wrote cannot become
/// markup by forgetting something.
struct HTML: ExpressibleByStringInterpolation, Equatable, Sendable {
  /// The markup so far, UTF-8.
  private(set) var bytes: [UInt8]

  init(stringLiteral value: String) { bytes = Array(value.utf8) }

  init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

  static func += (left: inout HTML, right: HTML) { left.bytes.append(contentsOf: right.bytes) }

  /// What may stand inside a literal.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) { bytes.append(contentsOf: literal.utf8) }

    /// Markup, as it is.
    mutating func appendInterpolation(_ html: HTML) { bytes.append(contentsOf: html.bytes) }

    /// Text, escaped.
    mutating func appendInterpolation(_ text: String) { HTMLEscaping.append(text, to: &bytes) }

    /// Text of unknown direction, escaped, which cannot reorder what stands around it.
    mutating func appendInterpolation(isolated text: String) {
      appendInterpolation("<bdi>\(text)</bdi>" as HTML)
    }

    /// A name, as ``appendInterpolation(isolated:)``; one that is too long for a table is cut.
    mutating func appendInterpolation(name text: String) {
      appendInterpolation(isolated: HTMLEscaping.cut(text))
    }

    /// A name inside an SVG title, which knows no elements: characters isolate it.
    mutating func appendInterpolation(titleName text: String) {
      appendInterpolation("&#x2068;\(HTMLEscaping.cut(text))&#x2069;" as HTML)
    }

    /// A number in an id or attribute.
    mutating func appendInterpolation(_ number: some BinaryInteger) {
      bytes.append(contentsOf: String(number).utf8)
    }

    /// A number for people.
    mutating func appendInterpolation(grouped number: some BinaryInteger) {
      bytes.append(contentsOf: NumberText.grouped(number).utf8)
    }

    /// A length as a share of the whole, 0 to 1, for an attribute.
    mutating func appendInterpolation(length share: Double) {
      bytes.append(contentsOf: NumberText.percentLength(share).utf8)
    }
  }
}

extension Sequence<HTML> {
  /// All of them, one after the other.
  func joined() -> HTML { reduce(into: "") { $0 += $1 } }
}
