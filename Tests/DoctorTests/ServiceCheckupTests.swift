import CivilTime
import Configuration
import Foundation
import Foundations
import HTTPServer
import LedgerStore
import TestSupport
import Testing

@testable import Operations

/// What `doctor` tries as a service would.
@Suite(.offThePool) struct ServiceCheckupTests {
  private func findings(_ place: TemporaryFolder) async throws -> [String: DoctorFinding] {
    let loader = ConfigurationLoader(environment: [:], zones: SystemZones(directory: nil))
    let configuration = try loader.load(file: "\(place.path)/rewards.json")
    let found = await ServiceCheckup(configuration).findings()
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
  }

  private func place(port: UInt16, data: String = "./data") throws -> TemporaryFolder {
    let place = try TemporaryFolder()
    try place.write(
      "rewards.json",
      "{\"data\": \"\(data)\", \"admin\": {\"listen\": \"127.0.0.1:\(port)\"}}")
    return place
  }

  @Test func aFolderAndAPortThatAreFreeAreWellAndLeftAsTheyWere() async throws {
    let place = try place(port: 0)
    #expect(try await findings(place).values.allSatisfy { $0.state == .well })
    let data = DataDirectory("\(place.path)/data")
    #expect(!FileManager.default.fileExists(atPath: data.path))
    try data.create()
    let found = try await findings(place)
    #expect(found.values.allSatisfy { $0.state == .well })
    #expect(found["control socket"] != nil)
    let left = try FileManager.default.subpathsOfDirectory(atPath: data.path)
    #expect(left.filter { $0.contains("doctor") || $0.contains("sock") } == [])
  }

  @Test func aPortInUseIsNamed() async throws {
    let server = try HTTPServer.start(on: .loopback()) { _ in .respond(ServerResponse(status: 200))
    }
    let place = try place(port: server.port)
    let finding = try await findings(place)["admin address"]
    #expect(finding?.state == .failed && finding?.what.contains("\(server.port)") == true)
    // By the service that is there already it may be.
    let data = DataDirectory("\(place.path)/data")
    try data.create()
    let lock = try WriterLock(data, command: "rewards serve")
    let held = try await findings(place)
    withExtendedLifetime(lock) {}
    #expect(held["admin address"]?.state == .well)
    #expect(held["lock"]?.what.contains("rewards serve") == true)
    await server.stop()
  }

  @Test func aFolderThatTakesNoFilesIsNamed() async throws {
    // Root may write everywhere but here.
    let place = try place(port: 0, data: "/proc/self/data")
    #expect(try await findings(place)["writing"]?.state == .failed)
    let there = try self.place(port: 0, data: "/proc/self")
    #expect(try await findings(there)["writing"]?.state == .failed)
  }

  @Test func somethingInTheSocketsPlaceIsNamed() async throws {
    let place = try place(port: 0)
    let data = DataDirectory("\(place.path)/data")
    try data.create()
    try place.write("data/control.sock", "x")
    #expect(try await findings(place)["control socket"]?.state == .failed)
  }

  @Test func packagesTellOfNewerTimeZones() {
    let text = "tzdata:\n  Installed: 2025b-0+deb12u1\n  Candidate: 2026f-0+deb12u1\n"
    #expect(TimeZonePackage.candidate(in: text) == "2026f")
    #expect(TimeZonePackage.candidate(in: "tzdata:\n  Candidate: (none)\n") == nil)
    #expect(TimeZonePackage.isNewer("2026f", than: "2025b"))
    #expect(!TimeZonePackage.isNewer("2026f", than: "2026f"))
    #expect(!TimeZonePackage.isNewer("2026f", than: "unknown"))
  }
}
