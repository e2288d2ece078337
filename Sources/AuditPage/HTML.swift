/// Markup: literals are taken as written, and interpolated text is escaped, so that foreign text cannot become markup by
/// oversight.
struct HTML: ExpressibleByStringInterpolation, Equatable, Sendable {
  /// The markup so far, UTF-8.
  private(set) var bytes: [UInt8]

  init(stringLiteral value: String) { bytes = Array(value.utf8) }

  init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

  static func += (left: inout HTML, right: HTML) { left.bytes.append(contentsOf: right.bytes) }

  /// The values that a literal can contain.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) { bytes.append(contentsOf: literal.utf8) }

    /// Appends markup unchanged.
    mutating func appendInterpolation(_ html: HTML) { bytes.append(contentsOf: html.bytes) }

    /// Appends text, escaped.
    mutating func appendInterpolation(_ text: String) { HTMLEscaping.append(text, to: &bytes) }

    /// Appends text of unknown direction, escaped and isolated, so that it cannot reorder its surroundings.
    mutating func appendInterpolation(isolated text: String) {
      appendInterpolation("<bdi>\(text)</bdi>" as HTML)
    }

    /// Appends a name like ``appendInterpolation(isolated:)``, cutting one that is too long for a table.
    mutating func appendInterpolation(name text: String) {
      appendInterpolation(isolated: HTMLEscaping.cut(text))
    }

    /// Appends a name inside an SVG title, which allows no elements: characters isolate it.
    mutating func appendInterpolation(titleName text: String) {
      appendInterpolation("&#x2068;\(HTMLEscaping.cut(text))&#x2069;" as HTML)
    }

    /// Appends a number to an id or attribute.
    mutating func appendInterpolation(_ number: some BinaryInteger) {
      bytes.append(contentsOf: String(number).utf8)
    }

    /// Appends a number for people.
    mutating func appendInterpolation(grouped number: some BinaryInteger) {
      bytes.append(contentsOf: NumberText.grouped(number).utf8)
    }

    /// Appends a length as a share of the whole, 0 to 1, for an attribute.
    mutating func appendInterpolation(length share: Double) {
      bytes.append(contentsOf: NumberText.percentLength(share).utf8)
    }
  }
}

extension Sequence<HTML> {
  /// Returns all of them, one after another.
  func joined() -> HTML { reduce(into: "") { $0 += $1 } }
}
