import Foundation
import LinuxShims

/// Runs the benchmarks of the page *Performance*, with the peers that this machine has, and prints a table.
@main
struct Main {
  static func main() async {
    // As in the program whose memory is measured here.
    linux_return_large_memory()
    let code = await run(Array(CommandLine.arguments.dropFirst()))
    exit(code)
  }

  @concurrent private static func run(_ arguments: [String]) async -> Int32 {
    do {
      if try await HelperProcess.run(arguments) { return 0 }
      if try await FilledLedger.run(arguments) { return 0 }
      let order = try BenchmarkOrder(arguments)
      let rows = try await order.run()
      print(ResultTable(rows: rows, order: order).text)
      return 0
    } catch let usage as Usage {
      StandardError.note(usage.text)
      return 2
    } catch {
      StandardError.note("benchmarks: \(error)")
      return 1
    }
  }
}
