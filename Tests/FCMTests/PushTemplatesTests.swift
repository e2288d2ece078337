import NotificationRelay
import TestSupport
import Testing

/// Templates are checked when they are loaded.
@Suite(.offThePool) struct PushTemplatesTests {
  private func problems(_ text: String) -> [String] {
    switch PushTemplates.parse(Array(text.utf8)) {
    case .success: []
    case .failure(let found): found.problems.map(\.description)
    }
  }

  @Test(arguments: [
    (
      "{\"fallback\": \"en\", \"texts\": {\"level.reached\": {\"en\": {\"title\": \"{level}\", \"body\": \"x\"}}}}",
      ""
    ),
    ("[", "line 1: : "), ("{}", "line 1: fallback: is missing"),
    (
      "{\"fallback\": \"en\", \"texts\": {\n\"level.reached\": {\"en\": {\"title\": \"a\",\n\"body\": \"{points}\"}}}}",
      "line 3: texts.level.reached.en.body: {points} is not one of {level}"
    ),
    (
      "{\"fallback\": \"en\", \"texts\": {\"level.reached\": {\"ja\": {\"title\": \"a\", \"body\": \"b\"}}}}",
      "line 1: texts.level.reached.en: is missing"
    ),
    (
      "{\"fallback\": \"en\", \"texts\": {\"level.reach\": {\"en\": {\"title\": \"a\", \"body\": \"b\"}}}}",
      "line 1: texts.level.reach.en: not a type of event that is pushed; did you mean \"level.reached\"?"
    ),
    (
      "{\"fallback\": \"en\", \"texts\": {\"level.reached\": {\"en\": {\"title\": \"\", \"body\": \"b {level\"}}}}",
      "line 1: texts.level.reached.en.title: is missing"
    ),
    (
      "{\"fallback\": \"en\", \"texts\": {\"level.reached\": {\"en\": {\"title\": \"a\", \"body\": \"b\", \"loc-key\": \"K\", \"loc-args\": [\"{points}\"]}}}}",
      "line 1: texts.level.reached.en.loc-args: {points} is not one of {level}"
    ),
    (
      "{\"fallback\": \"en\", \"texts\": {\"level.reached\": {\"en\": {\"title\": \"a\", \"body\": \"b\", \"loc-args\": []}}}}",
      "line 1: texts.level.reached.en.loc-key: is missing"
    ),
    (
      "{\"fallback\": \"en\", \"texts\": {}, \"text\": 1}", "line 1: text: unknown key"
    ),
  ])
  func everyMistakeHasItsPlace(text: String, beginning: String) {
    let found = problems(text)
    if beginning.isEmpty {
      #expect(found == [])
    } else {
      #expect(found.first?.hasPrefix(beginning) == true, "\(found)")
    }
  }
}
