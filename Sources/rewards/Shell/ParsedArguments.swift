/// A command line taken apart: values arrive exactly as they were written.
struct ParsedArguments: Equatable, Sendable {
  /// The arguments that are no options, in order.
  var arguments: [String] = []
  private var valuesByOption: [String: [String]] = [:]

  /// Whether the option was given.
  func has(_ option: String) -> Bool { valuesByOption[option] != nil }

  /// The option's value, the last when it was given several times.
  func value(_ option: String) -> String? { valuesByOption[option]?.last }

  /// The value of an option that the command declares as required: the parser has seen to it.
  func required(_ option: String) -> String { values(option).last ?? "" }

  /// All of the option's values, in order.
  func values(_ option: String) -> [String] { valuesByOption[option] ?? [] }

  /// Whether an argument or an option names standard input.
  var readsStandardInput: Bool {
    arguments.contains("-") || valuesByOption.values.contains { $0.contains("-") }
  }

  /// The argument at `index`, or nil when it was left out.
  func argument(_ index: Int) -> String? {
    index < arguments.count ? arguments[index] : nil
  }

  /// Leaves those values of an option out for which `isWanted` returns false.
  mutating func filter(_ option: String, where isWanted: (String) -> Bool) {
    valuesByOption[option] = valuesByOption[option]?.filter(isWanted)
  }

  mutating func add(_ option: String, _ value: String) {
    valuesByOption[option, default: []].append(value)
  }
}
