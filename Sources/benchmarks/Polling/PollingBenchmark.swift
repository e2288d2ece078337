import Foundation
import Sandbox

/// Measures one poll of every user: requests, decoding, evidence, judging, grants.
struct PollingBenchmark: Benchmark {
  let name = "polling"
  let summary = "a sweep over many users, beside wrk and aiohttp on the same server and paths"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let users = effort.pick(quick: 3_000, full: 30_000)
    let world = PollingWorld(users: users)
    let server = try PeerProcess.itself([HelperProcess.serveAPI, "\(users)"])
    defer { server.wait() }
    let baseURL = try server.readLine()
    let sweep = try Sweep(world, baseURL: baseURL)
    defer { sweep.close() }
    let wrk = try WrkPeer(
      paths: world.paths, baseURL: baseURL, seconds: effort.pick(quick: 1, full: 3))
    let pathsFile = try TemporaryFolder()
    try world.paths.write(toFile: "\(pathsFile.path)/paths", atomically: false, encoding: .utf8)
    let aiohttp = try PythonPeer(
      PackageResources.sweep_py, needing: "aiohttp",
      [baseURL, "\(pathsFile.path)/paths", SimulatedAPIOptions().token])

    // The server composes each answer once, which should burden neither side.
    _ = try await sweep.run(onDisk: false)
    var rates = Rates()
    for round in 1...effort.rounds {
      let outcome = try await sweep.run(onDisk: false)
      rates.ours.append(outcome.perSecond)
      rates.processor.append(outcome.elapsed.processor / Double(outcome.looks))
      rates.onDisk.append(try await sweep.run(onDisk: true).perSecond)
      if let wrk { rates.wrk.append(try wrk.run()) }
      if let aiohttp {
        let (seconds, count) = try aiohttp.run()
        rates.aiohttp.append(Double(count) / seconds)
      }
      note("round \(round): \(rates.last), \(outcome.looks) looks, \(outcome.grants) grants")
    }
    return rates.rows
  }
}

/// The polls or requests per second of each side.
private struct Rates {
  var ours: [Double] = []
  var processor: [Double] = []
  var onDisk: [Double] = []
  var wrk: [Double] = []
  var aiohttp: [Double] = []

  var last: String {
    let sides = [("ours", ours), ("on disk", onDisk), ("wrk", wrk), ("aiohttp", aiohttp)]
    return sides.compactMap { side in
      side.1.last.map { "\(side.0) \(Figure.count($0))/s" }
    }.joined(separator: ", ")
  }

  var rows: [ResultRow] {
    let work = "polling sweep, 64 connections, decoded and judged, looks kept"
    let measured =
      "\(Figure.count(ours.median)) looks/s, \(Figure.time(processor.median)) of processor each"
    let durable = "the same, ledger synced to the disk"
    let durableMeasured = "\(Figure.count(onDisk.median)) looks/s"
    var rows: [ResultRow] = []
    if wrk.isEmpty {
      rows.append(.alone(work, measured, missing: "wrk", askedText: "0.4"))
    } else {
      rows.append(
        .compared(
          work, measured, peer: "wrk -t1 -c64: \(Figure.count(wrk.median))/s",
          ratio: ours.median / wrk.median, atLeast: 0.4, askedText: "0.4"))
      rows.append(
        ResultRow(
          work: durable, measured: durableMeasured, peer: "the same",
          ratio: Figure.ratio(onDisk.median / wrk.median), asked: "–", isReached: nil))
    }
    if aiohttp.isEmpty {
      rows.append(.alone(work, measured, missing: "aiohttp", askedText: "5"))
    } else {
      rows.append(
        .compared(
          work, measured, peer: "aiohttp, decoded only: \(Figure.count(aiohttp.median))/s",
          ratio: ours.median / aiohttp.median, atLeast: 5, askedText: "5"))
    }
    return rows
  }
}
