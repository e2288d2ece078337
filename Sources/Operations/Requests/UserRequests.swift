import Configuration
public import Described
import Failures
public import Scheduling

/// Imports a roster into the ledger: `rewards users import`.
public struct RosterRequest: Request {
  /// `users import`.
  public static let name = "users import"

  /// The path of the roster's file, as the caller knows it.
  public let file: String
  private let actor: String?
  /// The lines.
  public var input: [UInt8]

  /// Creates an import of the roster in `input`, from `file`.
  public init(_ input: [UInt8], of file: String, actor: String?) {
    self.input = input
    self.file = file
    self.actor = actor
  }

  /// Records the differences.
  public func perform(at place: Place) async throws -> RosterImport.Result {
    let runtime = place.runtime
    try runtime.requireConfirmedClock()
    let receipt = try await RosterImport(runtime.writer).run(
      RosterFile(input, of: { runtime.configuration.holds($0) }),
      defaultZone: runtime.configuration.defaultTimeZone, revives: true,
      by: try place.actor(actor))
    // Days may now be open here that were not before.
    try await runtime.publishCloses()
    return receipt
  }
}

extension RosterRequest {
  /// Reads or writes the fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    file = try coder.field("file", value?.pointee.file)
    actor = try coder.optional("actor", value?.pointee.actor)
    input = []
  }
}

/// Removes a user: `rewards users remove`.
public struct RemovalRequest: Request {
  /// `users remove`.
  public static let name = "users remove"

  /// The user's id.
  public let user: String

  /// Creates a removal of a user.
  public init(of user: String) { self.user = user }

  /// Records the removal; throws when the ledger has no such user.
  public func perform(at place: Place) async throws {
    guard try await UserRemoval(place.runtime).remove(user) else { throw Failure.noMember(user) }
  }
}

extension RemovalRequest {
  /// Reads or writes the fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
  }
}
