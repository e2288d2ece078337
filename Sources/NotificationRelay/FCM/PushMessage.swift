import CivilTime
import Described
import StrictJSON

/// The message to Google for one event. The same event gives the same bytes, except for the remaining hours.
struct PushMessage {
  /// When the push becomes pointless.
  let pointlessFrom: Instant
  /// The body of the request.
  let json: [UInt8]

  /// Creates the message for `device`, or for the topic if there is none; nil if events of this kind are not pushed, or this one
  /// has become pointless.
  init?(_ event: CloudEvent, to device: PushDevice?, _ settings: FCMSink.Settings, now: Instant) {
    let oldest = event.time.adding(seconds: settings.maxAgeSeconds)
    pointlessFrom = min(oldest, event.pointlessFrom ?? oldest)
    guard now < pointlessFrom else { return nil }
    let fields = Self.fields(of: event)
    // Users learn of a backfill from its summary, and only if that was requested.
    if fields["cause"]?.hasPrefix("backfill:") == true { return nil }
    guard
      let text = settings.templates.text(
        of: event, language: device?.language, fields: fields, now: now)
    else { return nil }
    let expiry = min(oldest, event.pointlessFrom ?? oldest)
    let left = expiry.seconds(since: now)
    var writer = JSONWriter()
    writer.beginObject()
    writer.object("message") { json in
      if let device {
        json.member("token", device.token)
      } else {
        json.member("topic", settings.topic)
      }
      json.object("notification") {
        $0.member("title", text.title)
        $0.member("body", text.body)
      }
      json.object("data") {
        $0.member("id", event.id)
        $0.member("type", event.type.fullName)
        for (name, value) in fields.sorted(by: { $0.key < $1.key })
        where name != "id" && name != "type" {
          $0.member(name, value)
        }
      }
      json.object("android") { $0.member("ttl", "\(left)s") }
      json.object("apns") { json in
        json.object("headers") {
          $0.member("apns-priority", "10")
          $0.member("apns-expiration", "\(expiry.seconds)")
        }
        json.object("payload") { json in
          json.object("aps") { json in
            json.object("alert") {
              $0.member("title", text.title)
              guard let key = text.locKey else { return $0.member("body", text.body) }
              $0.member("loc-key", key)
              if text.locArgs.isEmpty { return }
              $0.key("loc-args")
              text.locArgs.write(to: &$0)
            }
            json.member("sound", "default")
          }
        }
      }
    }
    writer.endObject()
    json = writer.bytes
  }

  /// Creates a message to a topic that Google should check but not send.
  init(testing event: CloudEvent, topic: String, now: Instant) {
    pointlessFrom = now.adding(seconds: 60)
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("validate_only", true)
    writer.object("message") { json in
      json.member("topic", topic)
      json.object("notification") {
        $0.member("title", "Test")
        $0.member("body", event.id)
      }
    }
    writer.endObject()
    json = writer.bytes
  }

  /// Returns the event's plain fields as texts: a push's data can hold nothing else.
  static func fields(of event: CloudEvent) -> [String: String] {
    var fields: [String: String] = [:]
    for member in (try? JSONNode.parse(Array(event.data.utf8)))?.members ?? [] {
      if let text = member.value.string {
        fields[member.key] = text
      } else if let number = member.value.int {
        fields[member.key] = "\(number)"
      }
    }
    return fields
  }
}
