"""Recall in talks: with an assistant, and among people."""

from commonplace import Draft, Engine, Query

CHATTER = [
    "user: I'm trying to set up a login page for my app, can you help me?",
    "assistant: Sure! A login page needs a form, a session and a way to check passwords.",
    "user: Thanks, I'll try that with the login page tomorrow.",
    "assistant: Good luck with the login page!",
    "user: I read a long book about sailing on the weekend, it was good.",
    "assistant: Sailing books are a fine way to spend a weekend.",
]


def said(engine: Engine, question: str) -> list[str]:
    return [hit.memory.text for hit in engine.recall("b", Query(question, limit=10)).hits]


def test_a_rule_is_shown_with_what_it_is_about_and_not_with_the_rest(engine: Engine) -> None:
    rule = "user: Always name the narrator when I ask about audiobook recommendations."
    others = [
        f"user: Audiobook number {n} that I suggest to listen to was good." for n in range(20)
    ]
    engine.remember_many("b", [Draft(turn) for turn in [*CHATTER, *others, rule]])
    hits = engine.recall(
        "b", Query("Can you suggest some good audiobooks to listen to?", limit=10)
    ).hits
    assert hits[0].memory.text == rule
    assert hits[0].channels["rule"] > 0
    assert rule not in said(engine, "How did I set up the login page?")[:3]


def test_who_asks_for_advice_is_reminded_of_what_they_prefer(engine: Engine) -> None:
    preference = "user: I prefer e-books for their weight."
    others = [f"user: On day {n} I read {n} books on the train." for n in range(20)]
    engine.remember_many("b", [Draft(turn) for turn in [*CHATTER, preference, *others]])
    advised = engine.recall(
        "b", Query("Which books would you suggest for my journey?", limit=10)
    ).hits
    assert advised[0].memory.text == preference
    told = engine.recall("b", Query("Which books did I read on my journey?", limit=10)).hits
    assert all("preference" not in hit.channels for hit in told)


def test_what_the_assistant_advised_comes_before_what_was_asked_of_it(engine: Engine) -> None:
    talk = [
        "user: How can I save money for my emergency fund?",
        "assistant: Put fifty euros a month into your emergency fund before anything else.",
        "user: My emergency fund should be full by June.",
        "assistant: That is a realistic goal.",
    ]
    engine.remember_many("b", [Draft(turn) for turn in [*CHATTER, *talk]])
    assert said(engine, "What did you recommend for my emergency fund?")[0] == talk[1]
    assert said(engine, "By when did I say my emergency fund should be full?")[0] == talk[2]


def test_who_is_called_by_another_name_is_found_by_it(engine: Engine) -> None:
    talk = [
        "elise: Hello Kate. I was out in the cold.",
        "emi: I go skiing whenever there is snow.",
        "elise: Thank you Kate, good to know.",
        "emi: Lovely.",
        "elise: Good night Kate!",
        "emi: Good night.",
    ]
    engine.remember_many("b", [Draft(turn) for turn in talk])
    hits = engine.recall("b", Query("What does Kate do in winter?", limit=10)).hits
    assert {hit.memory.text for hit in hits if hit.channels["speaker"]} == {
        talk[1],
        talk[3],
        talk[5],
    }
    found = [hit.memory.text for hit in hits]
    assert found.index(talk[1]) < found.index(talk[4])


def test_who_tells_comes_before_who_only_answers(engine: Engine) -> None:
    talk = [
        "anna: Last summer I went to the pottery class in Bergen with my sister.",
        "ben: Wow, the pottery class sounds great!",
        "anna: Yeah, the pottery class is nice.",
        "ben: Keep it up!",
    ]
    engine.remember_many(
        "b", [Draft(turn) for turn in [*talk[1:], talk[0], talk[1].replace("Wow", "Oh")]]
    )
    assert said(engine, "When did Anna go to the pottery class?")[0] == talk[0]
