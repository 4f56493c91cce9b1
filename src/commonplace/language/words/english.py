"""The words of English."""

import re

from commonplace.language.words.lexicon import Language, Slot, phrases, words

_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)"
)
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_HOURS = "|".join(_NUMBERS)


def _slot(
    name: str, state: str, change: str = "", *, is_single: bool = True, found_by: str = ""
) -> Slot:
    return Slot(name, is_single, phrases(state), phrases(change), found_by.split())


ENGLISH = Language(
    name="en",
    verb_first=False,
    head_first=False,
    capital_nouns=False,
    has_participles=False,
    stops=words(
        "a an the is are am was were be been being has have had do does did of to in on at by "
        "for with from and or "
        "that this these those there it its as will would so up out about into than then just "
        "very really am 's "
        "his her their"
    ),
    articles=words("a an"),
    definite=words("the"),
    prepositions=words("of in on at for with from to by under over near behind about as"),
    self_words=words("i me my mine user"),
    group_words=words("we us our ours"),
    pronouns=words("he she it they this that his her its their somebody there"),
    single=words(
        "name surname nickname username age birthday birthdate email e-mail phone number "
        "address city country "
        "hometown home employer company job occupation profession role title salary height "
        "weight size colour color "
        "port host url version database branch deadline date status state timezone zone "
        "language framework editor "
        "password budget price cost limit default owner manager boss wife husband spouse "
        "partner model plan theme "
        "currency capital location timeout priority provider rent hint key"
    ),
    preferred=phrases("favou?rite|preferred|primary|main|current|default"),
    copulas=phrases("is|are|am|was|were|will_be|has_been|have_been|equals|became|becomes|="),
    verbs=phrases(
        "has|have|had|drinks?|eats?|likes?|loves?|hates?|enjoys?|wants?|needs?|plays?|speaks?"
        "|supports?|takes?"
        "|goes|go|runs?|meets?|opens?|closes?|leaves|leave|starts?|ends?|begins?|lasts?"
        "|arrives?|departs?|smokes?"
        "|writes?|reads?|owns?|keeps?|sleeps?|studies|study|teach(?:es)?|wears?|grows?"
        "|deploys?|rotates?|ships?"
        "|requires?|allows?|accepts?|sends?|stores?|returns?|contains?|includes?|weighs?"
        "|holds?|walks?|cycles?"
        "|commutes?|shops?|cooks?|calls?|pays?|earns?|charges?|commits?|expires?|happens?"
        "|comes?|stays?|uses?"
        "|prefers?|knows?|belongs?|parks?|publish(?:es)?|reports?"
    ),
    roles=phrases(""),
    auxiliaries=phrases(""),
    endings=re.compile(r"(?!)"),
    events=phrases(
        "visited|met|paid|bought|went|saw|fixed|found|sent|wrote|called|ate|read|watched|ended"
        "|finished|started"
        "|arrived|attended|celebrated|received|ordered|planted|repaired|painted|chose|released"
        "|deployed|shipped"
        "|signed|told|asked|borrowed|gave|got|won|lost|broke|failed|crashed|happened|added"
        "|created|built|took"
        "|merged|reviewed|discussed|tried|tested|booked|flew|drove|ran|said|closed_the"
    ),
    many=phrases(
        "likes?|loves?|hates?|enjoys?|plays?|reads?|knows?|speaks?|wants?|sees?|writes?"
        "|drinks?|eats?|goes|go|meets?|sends?|calls?"
    ),
    slots=(
        _slot(
            "changes",
            "",
            "(?:was|were|is|are|has_been|have_been|been)_(?:now_)?(?:moved|shifted|pushed|set"
            "|cut|put_back)"
            "(?:_back|_forward)?_(?:to|until)|(?:(?:was|were|is|has_been|have_been"
            "|been)_)?(?:changed|raised"
            "|lowered|increased|reduced|postponed|extended|rescheduled|brought_forward|updated"
            "|bumped|delayed)"
            "_(?:to|until)",
        ),
        _slot(
            "lives",
            "(?:lives?|living|resides?|residing|sits?)_(?:in|at|on)|(?:is|am|are)_based_in",
            "(?:moved|relocated)_(?:(?:back|up|down|over)_)?(?:in)?to",
            found_by="live reside move based",
        ),
        _slot(
            "works",
            "(?:works?|working)_(?:at|for)|(?:is|am|are)_employed_(?:by|at)",
            "joined|started_(?:working_)?at|changed_jobs_to",
            found_by="work employed join",
        ),
        _slot("role", "(?:works?|working)_as", "(?:was_)?promoted_to|became_an?"),
        _slot(
            "age",
            "(?:is|am|are)_\\d+_years?_old|(?:is|am)_aged?_\\d+",
            "turned_\\d+",
            found_by="year turned",
        ),
        _slot(
            "called",
            "(?:is|are|am|was)_(?:called|named)",
            "(?:was_|is_|been_)?renamed(?:_to)?|goes_by",
        ),
        _slot("born", "(?:was|were|is)_born_(?:in|on|at)"),
        _slot("married", "(?:is|am)_(?:married|engaged)_to"),
        _slot("port", "(?:listens?|runs?|is|is_served)_(?:on|at)_port"),
        _slot("price", "costs?|is_priced_at"),
        _slot(
            "owner",
            "owns|(?:is|are|am)_responsible_for|manages?|maintains?|leads?|handles?|looks_after"
            "|(?:is|are|am)_in_charge_of",
            "took_over|takes_over|has_taken_over",
        ),
        _slot(
            "approver",
            "(?:is|are)_(?:approved|owned|managed|handled|maintained|led|signed_off|reviewed)_by",
        ),
        _slot(
            "uses",
            "uses?|using|runs?_on|relies_on|(?:is|are)_hosted_(?:on|at|with|by)"
            "|(?:is|are)_(?:built|sent|made|deployed)_(?:with|by)",
            "(?:switched|migrated|upgraded|swapped)(?:_over)?_to|adopted",
            is_single=False,
            found_by="use run",
        ),
        _slot(
            "written", "(?:is|are|was)_(?:written|implemented|built)_in", "rewritten_in|ported_to"
        ),
        _slot("drives", "drives?|rides?", is_single=False),
        _slot(
            "likes",
            "likes?|loves?|enjoys?|avoids?|dislikes?|hates?|detests?",
            is_single=False,
            found_by="like love enjoy avoid dislike hate",
        ),
        _slot("prefers", "prefers?|(?:would|'d)_rather", is_single=False),
    ),
    fillers=phrases(
        "(?:please_)?(?:remember|note|keep_in_mind)_that|please|by_the_way|fyi|well|ok|okay|hi"
        "|hello|hey"
        "|still|currently|really|just|already|today|recently|always|usually|as_you_know"
        "|to_be_clear"
    ),
    changes=phrases(
        f"now|from_now_on|as_of_now|these_days|nowadays|instead(?!_of)|(?<=my_)new"
        f"|(?<=our_)new|(?<=the_)new|^new|changed,?_it|from_(?:today|tomorrow|next_week"
        f"|{_DAYS}|{_MONTHS}"
        f"|(?:the_)?\\d+(?:st|nd|rd|th)?(?:_(?:of_)?{_MONTHS})?)(?:_(?:on|onwards?))?"
        f"|(?:as_of|since|starting|effective|beginning)_(?:today|tomorrow|next_week|{_DAYS}"
        f"|{_MONTHS}|\\d+)"
        "|has_changed|have_changed|update|meanwhile|in_the_meantime|for_good|after_all"
    ),
    corrections=phrases(
        "actually|in_fact|correction|scrap_that|strike_that|forget_(?:that|it|what_i_said)"
        "|i_was_(?:wrong|mistaken)"
        "|(?:sorry_)?i_meant(?:_that)?|i_mean|no_wait|wait_no|that_was_wrong|my_mistake"
        "|on_second_thoughts?"
        "|to_correct_myself|i_misspoke|sorry|not_quite|turns_out"
    ),
    additions=phrases(
        "also|too|as_well|additionally|in_addition|besides|furthermore|another|a_second"
        "|a_third|second|third|both"
        "|on_top_of_that|as_well_as|plus"
    ),
    hints=phrases(
        "only|again|wrong(?:ly)?|new|since|back|left|broke|is_out|history|after_all|closed"
        "|sold|dropped"
        "|quit|retired?|ended|died|deleted|stolen|started|joined|bought|lowered|took_over"
        "|taken_over"
        "|moves|changes|switches|replaces|raises|no_longer|any_?more|chang(?:ed|es)|moved"
        "|switched"
        "|renamed|replaced|gives?_up|gave_up|raised|cancell?ed|postponed|actually|stopped|now"
        "|instead"
    ),
    exceptions=phrases(
        "(?:only_|just_)?this_(?:week|month|once|time|weekend)"
        "|(?:just|only)_for_(?:today|tonight|now)|today_only|only_(?:today|once"
        "|this)"
        "|(?:once|week|month|time)_only|just_today|exceptionally|as_an_exception|one-off"
        "|temporarily"
        "|wants?_to|plans?_to|planning|hop(?:es?|ing)_to|intends?_to|would_like|think(?:s"
        "|ing)_(?:of|about)"
        "|might|maybe|perhaps|consider(?:s|ing)"
    ),
    conditions=phrases(
        "if|unless|may_(?!\\d)|possibly|could|would(?!_rather)|suppose|imagine|what_if|in_case"
        "|going_to|dreams?_of|wish(?:es)?|thought_about|talking_about|for_once|tomorrow|tonight"
        "|next_(?:week|time)|just_kidding|kidding|joking|just_a_joke|ha(?:ha)+h?|lol|jk|almost"
        "|nearly"
        "|should_we|shall_we|until_then|for_now|someday"
    ),
    past=phrases(
        "used_to|formerly|previously|once_(?:lived|worked)|back_(?:then|in)|in_the_past"
        "|years_ago|as_a_(?:child|kid"
        "|teenager|student)|when_(?:i|we|he|she|they)_(?:was|were)|in_those_days|originally"
        "|before_that|at_first"
        "|had_been"
    ),
    denials=phrases("not|never|no|cannot|without|forbidden|nor|neither|refuses?|forbids?|must_not"),
    aversions=phrases("avoids?|dislikes?|hates?|detests?"),
    ended=phrases("no_longer|any_?more|not_any_longer|stopped_(?:to|being)"),
    over_after=phrases(
        "not(?=_[^.,;]{1,60}_but_)|instead_of|rather_than|in_place_of|(?:replac|supersed)(?:es"
        "|ed|ing)|(?:switch|mov|migrat|chang|upgrad|port)"
        "(?:ed|ing|es|e)?(?:_the_\\w{1,30})?_(?:away_|over_)?from|moved_(?:away|on)_from"
        "|away_from|gave_up|gives_up"
        "|given_up|stopped_(?:using|drinking|eating|taking|playing|working_(?:at|for))|stopped"
        "|quit"
        "|dropped|left|sold|cancell?ed|closed_the|got_rid_of|parted_with|ditched|abandoned"
        "|retired|removed|no_longer_us(?:es?|ing)"
        "|scrap(?:ped)?(?!_that)|forget_about|handed_over|handed(?=_[^.,;]{1,40}_over)"
        "|broke_up_with|divorced|resigned_from|unsubscribed_from|deprecated_the|phased_out"
        "|discontinued"
    ),
    over_before=phrases(
        "(?:is|are|was|were|has_been|got)_(?:now_|being_)?(?:deprecated|obsolete|replaced|gone"
        "|retired|cancell?ed"
        "|discontinued|removed|dropped|scrapped|abolished|over|dead|sold|shut_down"
        "|decommissioned|no_more)"
        "|(?:has_)?died|passed_away|no_longer_exists?"
    ),
    until=phrases("to|over|with|by|in_favou?r_of|for|because|and|but|as|so|since"),
    replaced_by=phrases("(?:replac|supersed)(?:es|ed|ing)"),
    purposes=phrases("for|when|while|during|whenever"),
    periods=phrases(
        "mornings?|evenings?|afternoons?|nights?|weekdays|weekends?|summer|winter|spring"
        "|autumn|fall|holidays"
        "|lunch_?time|q[1-4]|first_half|second_half|weekly_basis|breakfast|dinner_time"
        "|20\\d\\d|19\\d\\d"
    ),
    values={
        "rhythm": phrases(
            "daily|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually|hourly"
            "|nightly|twice_a_\\w{1,9}"
            f"|once_a_\\w{{1,9}}|every_(?:(?:other|second|\\d+|{_HOURS})_)?(?:minutes?|hours?"
            f"|days?|weeks?"
            "|months?|years?|quarters?)"
        ),
        "date": phrases(
            f"\\d{{1,2}}(?:st|nd|rd|th)?_(?:of_)?{_MONTHS}|{_MONTHS}_\\d{{1,2}}(?:st|nd|rd|th)?"
            "|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}/\\d{1,2}/\\d{2,4}"
        ),
        "day": phrases(f"{_DAYS}s?"),
        "time": phrases(
            f"\\d{{1,2}}:\\d{{2}}(?:_?[ap]m)?|\\d{{1,2}}_?(?:am|pm)|(?:at|until"
            f"|by)_(?:half_past_|quarter_(?:to|past)_)?"
            f"(?:{_HOURS}|\\d{{1,2}}(?![\\w:])|noon|midnight)(?:_(?:o'clock|thirty|fifteen))?"
        ),
        "money": phrases(
            "[$€£]\\d[\\d.,]*k?|\\d[\\d.,]*k?_?(?:euros?|eur|dollars?|usd|pounds?|gbp|€|chf|francs?)"
        ),
        "open": phrases("open|closed|shut"),
        "on": phrases("enabled|disabled|turned_o(?:n|ff)|switched_o(?:n|ff)"),
        "family": phrases("married|single|divorced|widowed|engaged|separated"),
        "state": phrases("online|offline"),
        "level": phrases("public|private"),
    },
    numbers={word: str(at) for at, word in enumerate(_NUMBERS, start=1)},
)
