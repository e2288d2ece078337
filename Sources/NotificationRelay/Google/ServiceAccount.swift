internal import Digests
internal import StrictJSON

/// A Google service account from its credentials file: the signing key, and the server that exchanges signatures for tokens.
package struct ServiceAccount: Sendable {
  /// Why a credentials file cannot be used; never repeats its content.
  package struct Flaw: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is expected.
    package let description: String
  }

  /// What a token may be used for.
  enum Scope: String, Sendable {
    /// Pushes: https://firebase.google.com/docs/cloud-messaging/auth-server
    case messaging = "https://www.googleapis.com/auth/firebase.messaging"
    /// Documents: https://cloud.google.com/firestore/docs/reference/rest/v1/projects.databases.documents/commit
    case datastore = "https://www.googleapis.com/auth/datastore"
  }

  /// How long an assertion and its token are valid, in seconds.
  static let lifetimeSeconds: Int64 = 3_600

  /// The project that the account belongs to.
  package let project: String
  let email: String
  let keyID: String
  /// The server that issues tokens.
  let tokenAddress: WebhookAddress
  private let signer: RSASigner

  /// Parses a credentials file. A token address outside Google's domains or this machine is accepted, because the file is the
  /// operator's own secret.
  package init(_ text: [UInt8]) throws(Flaw) {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONNode.parse(text)
    } catch {
      throw Flaw(description: "is not JSON at byte \(error.offset)")
    }
    func field(_ name: String) throws(Flaw) -> String {
      guard let value = node[name]?.string, !value.isEmpty else {
        throw Flaw(description: "has no text \"\(name)\", which every service account key file has")
      }
      return value
    }
    guard try field("type") == "service_account" else {
      throw Flaw(description: "has a \"type\" other than service_account")
    }
    project = try field("project_id")
    let isName = project.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
    guard isName else { throw Flaw(description: "has a \"project_id\" that is not a project id") }
    email = try field("client_email")
    keyID = try field("private_key_id")
    guard let signer = RSASigner(pem: Array(try field("private_key").utf8)) else {
      throw Flaw(description: "has a \"private_key\" that is not an RSA key in PEM")
    }
    self.signer = signer
    switch WebhookAddress.parse(try field("token_uri"), allowsPrivate: false) {
    case .success(let address): tokenAddress = address
    case .failure(let flaw): throw Flaw(description: "\"token_uri\": \(flaw)")
    }
  }

  /// Returns a signed JWT (RFC 7523) for `scope` that is valid for an hour from `seconds` of Unix time; nil if signing fails.
  func assertion(of scope: Scope, issuedAt seconds: Int64) -> String? {
    var header = JSONWriter()
    header.beginObject()
    header.member("alg", "RS256")
    header.member("typ", "JWT")
    header.member("kid", keyID)
    header.endObject()
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iss", email)
    claims.member("scope", scope.rawValue)
    claims.member("aud", tokenAddress.url)
    claims.member("iat", seconds)
    claims.member("exp", seconds + Self.lifetimeSeconds)
    claims.endObject()
    let signed = "\(Base64.urlText(header.bytes)).\(Base64.urlText(claims.bytes))"
    return signer.signature(of: Array(signed.utf8)).map { "\(signed).\(Base64.urlText($0))" }
  }
}
