/// Writes metrics as text: OpenMetrics 1.0, or the older Prometheus format for clients that do not accept it.
///
/// https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md,
/// https://prometheus.io/docs/instrumenting/exposition_formats/
package struct Exposition: Sendable {
  /// The format of the text.
  package enum Format: Sendable {
    case openMetrics, prometheus

    /// Chooses the best format that a client accepts, according to its `Accept` header.
    package init(accepting header: String?) {
      self = header?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
    }

    /// The text's media type.
    package var contentType: String {
      switch self {
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      }
    }
  }

  /// A sample's labels, in order.
  package typealias Labels = KeyValuePairs<String, String>

  private static let none: Labels = [:]

  /// All samples of one name, which must be contiguous.
  private struct Family {
    let head: String
    var samples = ""
  }

  private let format: Format
  /// The label in front of those of every sample.
  private let label: (name: String, value: String)?
  private var families: [Family] = []
  private var places: [String: Int] = [:]
  private var current = 0

  /// Creates an empty exposition; `label` is added to each sample, to distinguish several expositions added together.
  package init(_ format: Format, label: (name: String, value: String)? = nil) {
    (self.format, self.label) = (format, label)
  }

  /// Adds the samples of another exposition in the same format, family by family.
  package mutating func add(_ other: Exposition) {
    for (name, place) in other.places.sorted(by: { $0.value < $1.value }) {
      openFamily(name, other.families[place].head)
      families[current].samples += other.families[place].samples
    }
  }

  /// Adds a family of values that only increase; `name` ends with `_total`.
  package mutating func counter(
    _ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]
  ) {
    let base = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
    openFamily(format == .openMetrics ? base : name, "counter", help)
    for sample in samples { add(name, sample.labels, sample.value) }
  }

  /// Adds a family with a single value that only increases.
  package mutating func counter(_ name: String, _ help: String, _ value: Double) {
    counter(name, help, [(labels: Self.none, value: value)])
  }

  /// Adds a family of values that go up and down.
  package mutating func gauge(
    _ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]
  ) {
    openFamily(name, "gauge", help)
    for sample in samples { add(name, sample.labels, sample.value) }
  }

  /// Adds a family with a single value that goes up and down.
  package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    gauge(name, help, [(labels: Self.none, value: value)])
  }

  /// Adds a family of histograms.
  package mutating func histogram(
    _ name: String, _ help: String, _ samples: [(labels: Labels, value: Histogram)]
  ) {
    openFamily(name, "histogram", help)
    for (labels, histogram) in samples {
      var count = 0
      for (index, found) in histogram.counts.enumerated() {
        count += found
        let bound =
          index < histogram.bounds.count ? Self.number(histogram.bounds[index]) : "+Inf"
        add("\(name)_bucket", labels, Double(count), bound: bound)
      }
      add("\(name)_count", labels, Double(count))
      add("\(name)_sum", labels, histogram.sum)
    }
  }

  /// Adds a family of one histogram.
  package mutating func histogram(_ name: String, _ help: String, _ value: Histogram) {
    histogram(name, help, [(labels: Self.none, value: value)])
  }

  /// Returns the whole text; nothing may be added afterwards.
  package func finished() -> String {
    let text = families.map { $0.head + $0.samples }.joined()
    return format == .openMetrics ? text + "# EOF\n" : text
  }

  private mutating func openFamily(_ name: String, _ type: String, _ help: String) {
    openFamily(
      name, "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n")
  }

  private mutating func openFamily(_ name: String, _ head: String) {
    current = places[name] ?? families.count
    if current == families.count { families.append(Family(head: head)) }
    places[name] = current
  }

  private mutating func add(
    _ name: String, _ labels: Labels, _ value: Double, bound: String? = nil
  ) {
    var pairs = ([label.map { (key: $0.name, value: $0.value) }].compactMap { $0 } + labels).map {
      "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\""
    }
    if let bound { pairs.append("le=\"\(bound)\"") }
    let place = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    families[current].samples += "\(name)\(place) \(Self.number(value))\n"
  }

  private static func number(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return "\(Int64(value)).0" }
    return "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
