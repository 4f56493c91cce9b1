"""Features of conversations: the surrounding turns, the speaker, and how informative a turn is."""

from collections.abc import Iterable, Mapping, Sequence

from commonplace.recall import dialogue, scoring, speaker_matching
from commonplace.recall.candidates import Candidates
from commonplace.recall.dialogue import Conversation, Turn
from commonplace.recall.informativeness import Informativeness
from commonplace.storage import text_index

_MESSAGE_CHARS_MAX = 1_500  # A longer text is not a message.


def add_conversation(candidates: Candidates, turns: Mapping[int, Turn]) -> dict[int, Turn]:
    """Add the turns around the best candidates: they support these, and may be the answer
    themselves. Returns the turns that belong to a conversation.
    """
    known_turns = turns.keys() & candidates.features.keys()
    best = sorted(known_turns, key=candidates.strength, reverse=True)[: dialogue.EXPANDED_MAX]
    if not best:
        return {}
    within = candidates.within
    runs = text_index.adjacent_runs(candidates.db, within.bank_id, best, dialogue.MEMORIES_REACH)
    turns = {**turns, **_add_unread(candidates, runs)}
    known = {number: turn for number, turn in turns.items() if number in candidates.features}
    conversation = Conversation(known, runs)
    windows = {number: around for number in known if (around := conversation.surroundings(number))}
    speakers = {known[number].speaker for number in windows}
    spoken = {number: turn for number, turn in known.items() if turn.speaker in speakers}
    _add_speakers(candidates, spoken)
    _add_surroundings(candidates, windows)
    candidates.previous = _previous_turns(conversation, windows)
    return spoken


def _previous_turns(conversation: Conversation, numbers: Iterable[int]) -> dict[int, int]:
    """For each turn the memory with the turn before it, where there is one."""
    previous = {number: conversation.previous(number) for number in numbers}
    return {number: before for number, before in previous.items() if before is not None}


def add_informativeness(candidates: Candidates, conversation: Mapping[int, Turn]) -> None:
    """How informative a text is, rather than a question or a reply. A request to an assistant often
    says something about the user on the way.
    """
    is_among_people = speaker_matching.ASSISTANTS.isdisjoint(
        turn.speaker for turn in conversation.values()
    )
    informativeness = Informativeness(candidates.query.text)
    for number, features in candidates.features.items():
        text, turn = candidates.texts.get(number, ""), conversation.get(number)
        value = 0.0
        if turn and is_among_people:
            features.asking = turn.question_share
            value = informativeness.score_turn(dialogue.strip_speaker(text))
        elif turn.speaker not in speaker_matching.ASSISTANTS if turn else _is_message(text):
            value = informativeness.score_request(dialogue.strip_speaker(text))
        # Nearly every text outside of conversations has 0, which `--explain` need not list.
        if value:
            features.telling = value


def _add_unread(candidates: Candidates, runs: Sequence[Sequence[int]]) -> dict[int, Turn]:
    """Add those memories of some runs that are no candidates yet and that the filter allows."""
    within = candidates.within
    unread = list(
        dict.fromkeys(number for run in runs for number in run if number not in candidates.features)
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
        candidates.features[number].speaker = float(turn.speaker in speakers)


def _add_surroundings(
    candidates: Candidates, windows: Mapping[int, Sequence[tuple[int, int]]]
) -> None:
    """How much the features of a turn gain together with those around it: by words, by its vector,
    by its tokens.
    """
    near = (
        candidates.similarities.with_surroundings(candidates.positions, windows)
        if candidates.similarities and windows
        else {}
    )
    for number, around in windows.items():
        features, coverage = candidates.features[number], 0.0
        if candidates.uses_keywords:
            terms = candidates.matches[number].found_terms.union(
                *(candidates.matches[other].found_terms for other, _ in around)
            )
            coverage = scoring.coverage(candidates.question, terms)
            features.coverage_around = _gain(coverage, features.coverage)
        if near:
            vector, tokens = candidates.blend_with_words(near[number], coverage)
            features.vector_around = _gain(vector, features.vector)
            features.tokens_around = _gain(tokens, features.tokens)


def _gain(together: float, alone: float | None) -> float:
    return max(0.0, together - (alone or 0.0))


def _is_message(text: str) -> bool:
    return len(text) <= _MESSAGE_CHARS_MAX and "\n" not in text
