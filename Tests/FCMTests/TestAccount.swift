import CivilTime
import Digests
import Foundations
import HTTPServer
import NotificationRelay
import StrictJSON

/// A service account that exists nowhere, with a key made for these tests by `openssl genpkey`.
enum TestAccount {
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDd/gi6cSY/ObU7
    +gAIBIEW8CQ3EpA8ojr6q3ghAYKeGeUTDGiR7QiMUjojaP9Kwsk20+c2jCus0TJf
    Eh9pNWt5+QWMeXUt7K6T3rrGDKdS7pXuaDro01zt1v2RYGwdwKTW27aGq/RMq3jt
    Ye7yksbw3p6nztJc9bAhQ1G6x+u3azXPgkKWKVuD0PcyESn2ZMfmYH8GPq+og8WA
    0jW/3VxfUxeMOJYRYIoXbm/+sEs8IxbGTAt5y0q9qKoBZU+4FtHGm+WMTE9tsloa
    5B0HvAMN4ae1yUuOq8lX2I8guxUFxA93zRzAksaRyuXRAfOeVm0oCJMrjJLw/mT7
    s3NngiEdAgMBAAECggEAGZUba2T7u+CKHrnORB5ExCBzg/c7MQmfE2EsTF1wsIia
    agoNiPeQex9EvOzuMq7k4lEkPZiEtfs7u1IK1aSG2L0WYxxiISM78SWDT6yIodmF
    5L4VP9yPwob6nMTIYNthA7O5QqbRVf6SxoR5NXItw/dbwEno2zajEApCgmxkoTPe
    MQLNV5iY9t5V1pgpCJf8w8OVNUbWeRGunk0ZuIOrYuGoBhC7apPXZYPpAzAMfS6X
    n/yFhNZOHTuWxAODKurDTGnNXDMpMUIIBkV8Baa8mMrlsIMzIvIkBmfA+YRri6Ku
    RxRLE5K0Hj7EybJCPHjpUh7kAiNZ6l9j7BHoj3ptTwKBgQD60YRz0La5B//o669u
    G04490af7TowaNelwZNfNoykrl2gRwieKr9WSt+Bwl3w7Zq/CoAl3+ojJboHtgyS
    xc/CAcmNbCsV4kLcrMEeg0cwSTQISRYfQdUkm/AaghZc6XcIK8dbvJrnKOJkt6y0
    8EdSa1q4WppNGiIJ8WWZkL1b9wKBgQDilBEDycWGhUNyrW0EUSW7S6AifOQIeuaF
    RC2rP0o/LA0LOBPv22a/3Mi9SVGZ3vpXegh8ZHtzgJ8qKce1JxcKX5ZwzUDRzvuW
    +kNA2O757yZyJHzzhPGo3iaKTdJkWfvrDX+wlJffYKzhR7wwgOeJrYDjIv8eGwPv
    rQLM9lfeiwKBgQCvuPheF7zcl4EwU2cd8h10hbHCO/bHkbx70coJK/OPMOZBc2LT
    RUm2EFDU3TLpp94BuD6dymmEZFsYKfBXKCVtW8k0vrLU6ydC6fmHAhxu9OpyX5oT
    HhFRS7sFJ1y5jYuqetl6KQIxr5AlVhW20px1Xuc5P6jZGdT9OFWhKCmycwKBgQDg
    LBDdh583pdgCuRV4RPUo5vzrwlc3EKnMxpTMrpS+Bc5uADCxioiRYVb2+HiU3akg
    LWwB7sS5lVNkuuuNDrzcFZDZ0CnGq5v+V2N84GUowXVvTyyVHz6djhXhlneHtAPs
    HnHsekf8yUCir3/BGXh7nj87+x8gYSg21R1FPqHXWwKBgCs12RI30fkWQveaxIGk
    73emRpSslchmoqd1QgC8EqpD60qpMk0XjgtlAf3UXFez8IKX7k/w2FktKn53aQl1
    ovrAVf0pIQE58RXtxKJSR62Bcq7UCHv8rpvIk1gL+DLHj0ehGPthfVUJpYL2t3Pi
    1Msx+V8tSvl9FW6rxSh8+sIH
    -----END PRIVATE KEY-----

    """

  /// A key that is none of RSA.
  static let curveKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPQEO5jo4//iDN+vV
    xCSUX0WUlUXqSfgstTIlbwHmfDmhRANCAASCAleoZFqPAoJ1hrl0icAvpEh4+OAn
    otOA4nmQYzi2ae5w5L5uBEyNf7luJd7WTMlUwbZHpqEPEPql+IXr7EBm
    -----END PRIVATE KEY-----

    """

  /// What `openssl dgst -sha256 -sign` makes of `header.claims` with ``key``.
  static let signature =
    "wVcQKcmaP76ZSRNLADwCN92i6dsYvQ9YD2Pw3elrb+AvUopwront1RN6mpm9nxNMvezQ9XWO4JGYH+etPLS4ijK+UMu8T9SoPniz"
    + "aRW59+BqVbYFORtQO0yoM2KqarJodyKEoQgvylpCPzdYTP//pKWRwNhWRu+dzKGHp7gWsL2bnYFI5z3oTBGUVG6Bjv"
    + "JKM1moWWniSNPXlVgfwTR7QL61OhFlNcI4RSQHNYxWlqXt8o2JQ91q1GoKo5wsedPrMRbDQNaMCzoezSkm6TFhnQcV"
    + "9/WeV4+S83dYxOqmVuudrh0E+8TM5KdVsJXFMgwihJQuDhkbDcvw0ztc57B5CA=="

  /// The credentials file.
  static func file(port: UInt16, key: String = key, without: String? = nil) -> [UInt8] {
    let fields = [
      ("type", "service_account"), ("project_id", "cheer-supports-test"),
      ("private_key_id", "key-1"), ("private_key", key),
      ("client_email", "push@cheer-supports-test.iam.gserviceaccount.com"),
      ("client_id", "1"), ("token_uri", "http://127.0.0.1:\(port)/token"),
    ]
    var json = JSONWriter()
    json.beginObject()
    for (name, value) in fields where name != without { json.member(name, value) }
    json.endObject()
    return json.bytes
  }
}

/// Google, as far as a sink sees it: tokens and messages on a real socket.
final class FakeGoogle: Sendable {
  struct State: Sendable {
    var assertions: [String] = []
    var messages: [(token: String, body: [UInt8])] = []
    /// Answers to the next messages; then 200.
    var answers: [ServerResponse] = []
    var tokenAnswers: [ServerResponse] = []
    var lifetimeSeconds = 3_600
  }

  private let state = Lock(State())
  let server: HTTPServer

  init() throws {
    let state = state
    server = try HTTPServer.start(on: .loopback()) { request in
      state.withLock { state in
        if request.path == "/token" {
          let form = String(decoding: request.body, as: UTF8.self)
          state.assertions.append(form)
          if !state.tokenAnswers.isEmpty { return .respond(state.tokenAnswers.removeFirst()) }
          let token = "token-\(state.assertions.count)"
          let text =
            "{\"access_token\":\"\(token)\",\"expires_in\":\(state.lifetimeSeconds),\"token_type\":\"Bearer\"}"
          return .delay(seconds: 0.05, .respond(.json(Array(text.utf8))))
        }
        let bearer = request.header("Authorization") ?? ""
        state.messages.append((bearer, request.body))
        if !state.answers.isEmpty { return .respond(state.answers.removeFirst()) }
        return .respond(.json(Array("{\"name\":\"projects/p/messages/1\"}".utf8)))
      }
    }
  }

  var assertions: [String] { state.withLock { $0.assertions } }
  var bearers: [String] { state.withLock { $0.messages.map(\.token) } }
  var messages: [JSONNode] {
    state.withLock { $0.messages.compactMap { try? JSONNode.parse($0.body) } }
  }

  func answer(_ responses: ServerResponse...) { state.withLock { $0.answers += responses } }
  func answerTokens(_ responses: ServerResponse...) {
    state.withLock { $0.tokenAnswers += responses }
  }
  func setLifetime(_ seconds: Int) { state.withLock { $0.lifetimeSeconds = seconds } }
}

/// Devices in memory.
final class KnownDevices: PushDevices {
  private let devices: Lock<[String: PushDevice]>

  init(_ devices: [String: PushDevice]) { self.devices = Lock(devices) }

  func device(of user: String) async -> PushDevice? { devices.withLock { $0[user] } }
  func forget(_ token: String, of user: String) async {
    devices.withLock { if $0[user]?.token == token { $0[user] = nil } }
  }
}
