"""What speaks for a hit, in the order of reading: shown by the command line and by the pages."""

from collections.abc import Mapping

# What a person should read behind each number, in the order of reading.
DESCRIPTIONS = {
    "keyword": "its words, rare ones weigh more",
    "coverage": "share of the question's words",
    "passage": "the same of its best passage",
    "vector": "similarity in meaning, as a whole",
    "tokens": "similarity to each word asked",
    "passage tokens": "the same of its best passage",
    "section tokens": "the same of its best section",
    "coverage around": "gain from the words around it",
    "vector around": "gain from the meaning around it",
    "tokens around": "gain from the tokens around it",
    "company": "similarity to the best others",
    "speaker": "said by the person asked about",
    "asking": "how much of it is questions",
    "telling": "how much it states, 0 is usual",
    "part": "one of two things compared",
    "recent": "how new it is",
    "time": "from the time asked about",
    "preference": "a preference",
    "answer": "has the time or number asked for",
    "kind": "names the kind of thing asked for",
    "rule": "a rule about the subject",
    "read": "reranker score, -0.5 to 0.5",
    "unread": "not read by the reranker",
    "sure": "how surely it answers",
}
_ALWAYS_SHOWN = ("keyword", "coverage", "vector", "tokens")
# A short text is its own best passage.
_DUPLICATES = {"passage": "coverage", "passage tokens": "tokens", "section tokens": "tokens"}


def visible_evidence(channels: Mapping[str, float]) -> dict[str, float]:
    """The evidence worth a line, in the order of reading: what repeats another or is nothing is
    left out.
    """
    ordered = {name: channels[name] for name in (*DESCRIPTIONS, *channels) if name in channels}
    return {
        name: score
        for name, score in ordered.items()
        if name in _ALWAYS_SHOWN or (score and ordered.get(_DUPLICATES.get(name, "")) != score)
    }
