"""Evidence from conversations: what was said around a turn, by whom, and how much it tells."""

from collections.abc import Mapping, Sequence

from commonplace.recall import dialogue, scoring, speaker_matching
from commonplace.recall.candidates import Candidates, Values
from commonplace.recall.dialogue import Conversation, Turn
from commonplace.recall.informativeness import Informativeness
from commonplace.storage import text_index

_MESSAGE_CHARS_MAX = 1_500  # A longer text is not a message.


def add_conversation(candidates: Candidates, turns: Mapping[int, Turn]) -> dict[int, Turn]:
    """Add the turns around the best candidates: they support these, and may be the answer
    themselves. Returns the turns that belong to a conversation.
    """
    best = sorted(turns.keys() & candidates.values.keys(), key=candidates.strength, reverse=True)[
        : dialogue.EXPANDED_MAX
    ]
    if not best:
        return {}
    within = candidates.within
    runs = text_index.adjacent_runs(candidates.db, within.bank_id, best, dialogue.MEMORIES_REACH)
    turns = {**turns, **_add_unread(candidates, runs)}
    known = {number: turn for number, turn in turns.items() if number in candidates.values}
    conversation = Conversation(known, runs)
    windows = {number: around for number in known if (around := conversation.surroundings(number))}
    speakers = {known[number].speaker for number in windows}
    spoken = {number: turn for number, turn in known.items() if turn.speaker in speakers}
    _add_speakers(candidates, spoken)
    _add_surroundings(candidates, windows)
    candidates.previous = {
        number: previous
        for number in windows
        if (previous := conversation.previous(number)) is not None
    }
    return spoken


def add_informativeness(candidates: Candidates, conversation: Mapping[int, Turn]) -> None:
    """Whether a text tells something, or only asks or replies. A request to an assistant often
    tells something about the user on the way.
    """
    is_among_people = speaker_matching.ASSISTANTS.isdisjoint(
        turn.speaker for turn in conversation.values()
    )
    informativeness = Informativeness(candidates.query.text)
    for number, values in candidates.values.items():
        text, turn = candidates.texts.get(number, ""), conversation.get(number)
        value = 0.0
        if turn and is_among_people:
            values["asking"] = turn.question_share
            value = informativeness.score_turn(dialogue.strip_speaker(text))
        elif turn.speaker not in speaker_matching.ASSISTANTS if turn else _is_message(text):
            value = informativeness.score_request(dialogue.strip_speaker(text))
        # Nearly every text outside of conversations has 0, which `--explain` need not list.
        if value:
            values["telling"] = value


def _add_unread(candidates: Candidates, runs: Sequence[Sequence[int]]) -> dict[int, Turn]:
    """Add those memories of some runs that are no candidates yet and that the filter allows."""
    within = candidates.within
    unread = list(
        dict.fromkeys(number for run in runs for number in run if number not in candidates.values)
    )
    allowed = text_index.filter_ids(
        candidates.db, within.bank_id, unread, within.chosen, within.now
    )
    turns = candidates.read_turns([number for number in unread if number in allowed])
    candidates.add(list(turns))
    return turns


def _add_speakers(candidates: Candidates, turns: Mapping[int, Turn]) -> None:
    """Whether the question is about the speaker of a turn."""
    talk = [(turn.speaker, candidates.texts[number]) for number, turn in turns.items()]
    speakers = speaker_matching.speakers_asked_about(candidates.query.text, talk)
    for number, turn in turns.items():
        candidates.values[number]["speaker"] = float(turn.speaker in speakers)


def _add_surroundings(
    candidates: Candidates, windows: Mapping[int, Sequence[tuple[int, int]]]
) -> None:
    """How much more evidence a turn has together with those around it: by words, by its vector, by
    its tokens.
    """
    near = (
        candidates.similarities.with_surroundings(candidates.positions, windows)
        if candidates.similarities and windows
        else {}
    )
    for number, around in windows.items():
        values, together = candidates.values[number], Values()
        if candidates.uses_keywords:
            terms = candidates.matches[number].found_terms.union(
                *(candidates.matches[other].found_terms for other, _ in around)
            )
            together["coverage"] = scoring.coverage(candidates.question, terms)
        if near:
            vector, tokens = near[number]
            together |= candidates.blend_with_words(
                {"vector": vector, "tokens": tokens}, together.get("coverage", 0.0)
            )
        values |= {
            f"{name} around": max(0.0, value - values[name]) for name, value in together.items()
        }


def _is_message(text: str) -> bool:
    return len(text) <= _MESSAGE_CHARS_MAX and "\n" not in text
