/// A parsed command line; values are kept exactly as written.
struct ParsedArguments: Equatable, Sendable {
  /// The arguments that are not options, in order.
  var arguments: [String] = []
  /// What to write instead of a former name; nil for a current one.
  var remark: String?
  private var valuesByOption: [String: [String]] = [:]

  /// Whether the option was given.
  func has(_ option: String) -> Bool { valuesByOption[option] != nil }

  /// Returns the option's value, the last when it was given several times.
  func value(_ option: String) -> String? { valuesByOption[option]?.last }

  /// Returns the value of an option that the command declares as required; the parser has checked that it is there.
  func required(_ option: String) -> String { values(option).last ?? "" }

  /// Returns all of the option's values, in order.
  func values(_ option: String) -> [String] { valuesByOption[option] ?? [] }

  /// Returns the argument at `index`, or nil when it was left out.
  func argument(_ index: Int) -> String? {
    index < arguments.count ? arguments[index] : nil
  }

  /// Removes the option's values for which `isWanted` returns false.
  mutating func filter(_ option: String, where isWanted: (String) -> Bool) {
    valuesByOption[option] = valuesByOption[option]?.filter(isWanted)
  }

  /// Gives the option this one value; none with nil.
  mutating func set(_ option: String, to value: String?) {
    valuesByOption[option] = value.map { [$0] }
  }

  mutating func add(_ option: String, _ value: String) {
    valuesByOption[option, default: []].append(value)
  }
}
