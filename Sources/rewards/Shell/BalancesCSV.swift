import Failures
import RewardRules
import StrictJSON

/// Reads a table of balances as spreadsheets write it: a row of names, then one row per user.
///
/// Cells are divided by commas, semicolons or tabs, whichever the first row uses, and may be quoted. Each row becomes one line of JSON, so
/// that line numbers stay the same.
struct BalancesCSV {
  private static let units = RewardUnit.allCases.map(\.rawValue)
  private static let names = ["user"] + units
  /// Other columns of `rewards balance --all --csv`, which are not compared.
  private static let passedOver = Set(BalanceListing.columns.map { $0.lowercased() })
    .subtracting(names)

  /// Whether a text is a table rather than JSON lines.
  static func isOne(_ text: [UInt8]) -> Bool {
    guard let first = text.first(where: { $0 > 0x20 && !mark.contains($0) }) else { return false }
    return first != UInt8(ascii: "{")
  }

  /// The byte order mark with which some programs begin a text.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the rows as JSON lines; the row of names becomes an empty one.
  static func lines(of text: [UInt8], in file: String) throws(Failure) -> [UInt8] {
    let text = text.starts(with: mark) ? Array(text.dropFirst(mark.count)) : text
    let rows = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0.last == 0x0D ? $0.dropLast() : $0, as: UTF8.self) }
    guard let start = rows.firstIndex(where: { !$0.isEmpty }) else { return [] }
    let separator =
      [",", ";", "\t"].max { left, right in
        rows[start].count { String($0) == left } < rows[start].count { String($0) == right }
      }.flatMap(\.first) ?? ","
    let columns = cells(of: rows[start], separator).map { $0.lowercased() }
    for column in columns where !names.contains(column) && !passedOver.contains(column) {
      let nearest = NearestName.hint(for: column, among: names)
      throw Failure(
        line: start + 1, of: file,
        "rewards has nothing to compare with the column \"\(column)\"\(nearest); the first row names "
          + "user and any of \(units.joined(separator: ", "))")
    }
    guard columns.contains("user"), columns.count > 1, Set(columns).count == columns.count else {
      throw Failure(
        line: start + 1, of: file,
        "the first row must name user and any of \(units.joined(separator: ", ")), each once")
    }
    var lines: [UInt8] = Array(repeating: UInt8(ascii: "\n"), count: start + 1)
    var sums: [String: Int64] = [:]
    for (index, row) in rows.enumerated().dropFirst(start + 1) {
      do throws(Mistake) {
        lines += try line(row, columns, separator, &sums)
      } catch {
        throw Failure(line: index + 1, of: file, error.cause)
      }
    }
    return lines
  }

  /// A mistake in a row.
  private struct Mistake: Error {
    let cause: String
  }

  private static func line(
    _ row: String, _ columns: [String], _ separator: Character, _ sums: inout [String: Int64]
  ) throws(Mistake) -> [UInt8] {
    guard row.contains(where: { !$0.isWhitespace }) else { return [UInt8(ascii: "\n")] }
    let cells = cells(of: row, separator)
    guard cells.count == columns.count else {
      throw Mistake(cause: "the row has \(cells.count) cells, the first one \(columns.count)")
    }
    var json = JSONWriter()
    json.beginObject()
    // These are the sums below the users.
    if zip(columns, cells).contains(where: {
      $0 == "user" && $1.hasPrefix(BalanceListing.totalName)
    }) {
      try check(columns, cells, against: sums)
      return [UInt8(ascii: "\n")]
    }
    for (column, cell) in zip(columns, cells)
    where names.contains(column) {
      if column == "user" {
        json.member(column, cell)
      } else if let amount = Int64(cell) {
        json.member(column, amount)
        sums[column, default: 0] &+= amount
      } else {
        throw Mistake(
          cause: cell.isEmpty
            ? "the column \(column) is empty: write 0 for nothing, or leave the column out"
            : "\"\(cell)\" in the column \(column) is not a whole number without separators")
      }
    }
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Checks a row of sums against the rows above it. Exp counts within a level, so it has no sum.
  private static func check(
    _ columns: [String], _ cells: [String], against sums: [String: Int64]
  ) throws(Mistake) {
    for (column, cell) in zip(columns, cells)
    where !cell.isEmpty && RewardUnit.held.contains(where: { $0.rawValue == column }) {
      let sum = sums[column] ?? 0
      guard Int64(cell) == sum else {
        throw Mistake(
          cause:
            "the row of sums has \(cell) \(column), the rows above it \(sum): rows are missing or were changed"
        )
      }
    }
  }

  /// Returns the cells of a row, without quotes and surrounding spaces.
  private static func cells(of row: String, _ separator: Character) -> [String] {
    var cells = [""]
    var isQuoted = false
    var rest = row[...]
    while let character = rest.popFirst() {
      if character == "\"" {
        if isQuoted, rest.first == "\"" {
          cells[cells.count - 1].append("\"")
          rest.removeFirst()
        } else {
          isQuoted.toggle()
        }
      } else if character == separator, !isQuoted {
        cells.append("")
      } else {
        cells[cells.count - 1].append(character)
      }
    }
    return cells.map(\.withoutOuterSpaces)
  }
}
