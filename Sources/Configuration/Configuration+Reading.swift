internal import CivilTime
internal import Ledger
internal import RewardRules
internal import StrictJSON

extension Configuration {
  /// Reads every key. Mistakes are noted in the section's document and sheet, and the default is used instead.
  init(_ root: SettingsSection, file: String?, zones: any ZoneSource) {
    let zoneObjection = { (name: String) -> String? in
      do throws(ZoneError) {
        _ = try zones.zone(named: name)
        return nil
      } catch {
        return error.what
      }
    }
    self.file = file
    data = root.file("data", default: "./data", objection: Self.objection(toData:))
    defaultTimeZone = root.text("defaultTimeZone", default: "Asia/Tokyo", objection: zoneObjection)
    users = root.file("users", default: "./users.jsonl")
    rules = root.files("rules")
    let preset = SecretReference.environment("REWARDS_DRAW_SECRET")
    drawSecret = root.secret("drawSecret", default: preset) ?? preset
    jobs = root.file("jobs", default: "./jobs")
    maxIdleDays = root.number("maxIdleDays", default: 7, in: 1...3650)
    requiresActor = root.flag("requireActor", default: false)
    (approval, signers) = Self.approval(root.section("approval"))
    api = API(root.section("api"), zoneObjection: zoneObjection)
    poll = Poll(root.section("poll"))
    inbox = Inbox(root.section("inbox"))
    sources = Source.all(in: root.section("sources"))
    atRisk = AtRisk(root.section("atRisk"))
    massBreakGuard = MassBreakLimits(root.section("guard"))
    relay = Sink.all(in: root.section("relay"))
    control = Control(root.section("control"))
    admin = Admin(root.section("admin"))
    root.finish()
    settings = root.sheet.settings
  }
}

extension Configuration {
  /// libpq also accepts `key=value` connection strings. Here such a string would become a folder name, shown with its password.
  private static func objection(toData place: String) -> String? {
    let words = ["host", "hostaddr", "dbname", "user", "password", "port", "service", "sslmode"]
    let last = place.split(separator: "/").last ?? ""
    let names = last.split(separator: " ").compactMap { word in
      word.firstIndex(of: "=").map { word[..<$0] }
    }
    return names.contains { words.contains(String($0)) }
      ? "name a database by its address: postgres://USER@HOST/DATABASE" : nil
  }
}

extension Configuration.API {
  init(_ section: SettingsSection, zoneObjection: (String) -> String?) {
    let isPlainAllowed = section.flag("allowPlainHTTP", default: false)
    let address = section.text(
      "baseURL", default: "https://api.cheer-supports.com/api/v1"
    ) { text in
      HTTPAddress.objection(
        toSecretsAt: text, isPlainAllowed: isPlainAllowed, permission: "allowPlainHTTP")
    }
    baseURL = address.hasSuffix("/") ? String(address.dropLast()) : address
    timeZone = section.text("timeZone", default: "Asia/Tokyo", objection: zoneObjection)
    token = section.secret("token")
    credentials = section.optionalFile("credentials")
    requestsPerSecond = section.number("requestsPerSecond", default: 200, in: 1...1_000_000)
    concurrency = section.number("concurrency", default: 64, in: 1...4096)
    timeoutSeconds = section.number("timeoutSeconds", default: 10, in: 1...600)
    lagSeconds = section.number("lagSeconds", default: 10, in: 0...3600)
    countsFollows = section.flag("countFollows", default: false)
    section.finish()
  }
}

extension Configuration {
  private static func approval(_ section: SettingsSection) -> (HandLimits, signers: String?) {
    let limits = HandLimits(section)
    let signers = section.optionalFile("signers")
    section.finish()
    return (limits, signers)
  }
}

extension HandLimits {
  fileprivate init(_ section: SettingsSection) {
    self.init()
    let preset = self
    func most(_ key: String, _ preset: Int64, in range: ClosedRange<Int> = 0...1_000_000_000)
      -> Int64
    {
      Int64(section.number(key, default: Int(preset), in: range))
    }
    byHand = Amounts { most("\($0.rawValue)ByHand", preset.byHand[$0]) }
    itemsByHand = most("itemsByHand", preset.itemsByHand)
    expPerCredit = most("expPerCredit", preset.expPerCredit)
    boosterDaysPerCredit = most("boosterDaysPerCredit", preset.boosterDaysPerCredit)
    pardonDaysByHand = most("pardonDaysByHand", preset.pardonDaysByHand)
    perUserAndMonth = most("perUserAndMonth", preset.perUserAndMonth, in: 1...1_000_000)
    perActorAndMonth = most("perActorAndMonth", preset.perActorAndMonth, in: 1...1_000_000)
    by = Person(rawValue: section.word("by", among: Person.allCases.map(\.rawValue))) ?? .account
  }
}

extension Configuration.Poll {
  init(_ section: SettingsSection) {
    let plans = ["habits", "interval"]
    let plan = section.text("plan", default: plans[0]) { text in
      plans.contains(text)
        ? nil : "expected habits or interval\(NearestName.hint(for: text, among: plans))"
    }
    byHabits = plan == plans[0]
    everyMinutes = section.number("everyMinutes", default: 15, in: 1...1440)
    lastCallSeconds = section.number("lastCallSeconds", default: 60, in: 0...7200)
    firstCallSeconds = section.number("firstCallSeconds", default: 30, in: 0...7200)
    section.finish()
  }
}

extension Configuration.Inbox {
  init(_ section: SettingsSection) {
    requireWatermark = section.flag("requireWatermark", default: false)
    everySeconds = section.number("everySeconds", default: 5, in: 1...86_400)
    section.finish()
  }
}

extension Configuration.AtRisk {
  init(_ section: SettingsSection) {
    minutesBefore = section.number("minutesBefore", default: 0, in: 0...1_440)
    length = section.number("length", default: 3, in: 1...1_000_000)
    warnsUnknown = section.word("unknown", among: ["wait", "warn"]) == "warn"
    section.finish()
  }
}

extension Configuration.MassBreakLimits {
  init(_ section: SettingsSection) {
    breakFactor = section.number("breakFactor", default: 5, in: 1...1000)
    minimumStreaks = section.number("minimumStreaks", default: 20, in: 0...1_000_000_000)
    section.finish()
  }
}

extension Configuration.Control {
  init(_ section: SettingsSection) {
    let name = section.text("group", default: "")
    group = name.isEmpty ? nil : name
    section.finish()
  }
}

extension Configuration.Admin {
  init(_ section: SettingsSection) {
    let listen = section.text("listen", default: "127.0.0.1:9464") {
      HostAndPort($0) == nil ? "expected HOST:PORT, such as 127.0.0.1:9464" : nil
    }
    let address = HostAndPort(listen)
    host = address?.host ?? ""
    port = address?.port ?? 0
    token = section.secret("token")
    section.finish()
  }
}
