/// The addresses that a client may connect to. Checked for each connection after the name look-up, so that a name that changes
/// its address between two look-ups gains nothing.
package enum AddressRule: Sendable, Equatable {
  /// All addresses.
  case any
  /// Only this machine.
  case loopback
  /// Addresses that IANA's registries call globally reachable.
  /// https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
  case `public`
  /// Public and private addresses, except those where clouds keep secrets for their machines.
  case publicOrPrivate

  /// Returns why no connection to the address (4 or 16 bytes) may be opened; nil if it may.
  package func objection(to address: [UInt8]) -> String? {
    if self == .any { return nil }
    let address = Self.carried(address)
    let range = Self.ranges(of: address.count).first { $0.contains(address) }
    switch (self, range?.kind) {
    case (.any, _), (.loopback, .loopback?), (.public, nil), (.publicOrPrivate, nil),
      (.publicOrPrivate, .private?):
      return nil
    case (.loopback, _): return "\(Self.text(address)) is not this machine"
    case (_, let kind): return "\(Self.text(address)) is \(kind?.rawValue ?? "not an address")"
    }
  }

  private enum Kind: String {
    case loopback = "this machine itself"
    case `private` = "a private address"
    case metadata = "a cloud's metadata service"
    case reserved = "not the address of a server"
  }

  private struct Range {
    let prefix: [UInt8]
    let bits: Int
    let kind: Kind

    init(_ prefix: [UInt8], _ bits: Int, _ kind: Kind) {
      self.prefix = prefix
      self.bits = bits
      self.kind = kind
    }

    func contains(_ address: [UInt8]) -> Bool {
      (0..<bits).allSatisfy { bit in
        let mask = UInt8(0x80) >> UInt8(bit % 8)
        let mine = bit / 8 < prefix.count ? prefix[bit / 8] : 0
        return address[bit / 8] & mask == mine & mask
      }
    }
  }

  private static func ranges(of bytes: Int) -> [Range] {
    switch bytes {
    case 4: version4
    case 16: version6
    default: [Range([], 0, .reserved)]
    }
  }

  // The first match counts.
  private static let version4 = [
    Range([169, 254, 169, 254], 32, .metadata), Range([169, 254, 170, 2], 32, .metadata),
    Range([100, 100, 100, 200], 32, .metadata), Range([168, 63, 129, 16], 32, .metadata),
    Range([192, 0, 0, 192], 32, .metadata),
    Range([127], 8, .loopback), Range([10], 8, .private), Range([172, 16], 12, .private),
    Range([192, 168], 16, .private), Range([169, 254], 16, .private),
    Range([100, 64], 10, .private), Range([0], 8, .reserved), Range([192, 0, 0], 24, .reserved),
    Range([192, 0, 2], 24, .reserved), Range([192, 88, 99], 24, .reserved),
    Range([198, 18], 15, .reserved), Range([198, 51, 100], 24, .reserved),
    Range([203, 0, 113], 24, .reserved), Range([224], 3, .reserved),
  ]

  private static let version6 = [
    Range(
      [0xFD, 0x00, 0x0E, 0xC2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54], 128, .metadata),
    Range([UInt8](repeating: 0, count: 15) + [1], 128, .loopback),
    Range([0xFC], 7, .private), Range([0xFE, 0x80], 10, .private),
    Range([0x20, 0x01, 0x0D, 0xB8], 32, .reserved), Range([0x20, 0x01], 23, .reserved),
    Range([0x3F, 0xFF], 20, .reserved),
    // Outside 2000::/3 nothing is assigned to servers.
    Range([0x00], 3, .reserved), Range([0x40], 2, .reserved), Range([0x80], 1, .reserved),
  ]

  /// Returns the IPv4 address that an IPv6 address contains (mapped, compatible, translated, 6to4), or the address itself.
  private static func carried(_ address: [UInt8]) -> [UInt8] {
    guard address.count == 16 else { return address }
    let zeros = [UInt8](repeating: 0, count: 16)
    if address.starts(with: zeros[..<10] + [0xFF, 0xFF]) { return Array(address[12...]) }
    if address.starts(with: [0x00, 0x64, 0xFF, 0x9B] + zeros[..<8]) {
      return Array(address[12...])
    }
    if address.starts(with: [0x20, 0x02]) { return Array(address[2..<6]) }
    if address.starts(with: zeros[..<12]), address[12...].contains(where: { $0 > 1 }) {
      return Array(address[12...])
    }
    return address
  }

  private static func text(_ address: [UInt8]) -> String {
    if address.count == 4 { return address.map { String($0) }.joined(separator: ".") }
    return stride(from: 0, to: address.count - 1, by: 2).map {
      String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
    }.joined(separator: ":")
  }
}
