"""Words of questions that name nothing of the data: what the rows are, what is done with them, turns of phrase."""

from __future__ import annotations

import re

from graphwright.agents.data_scientist.words import bases, listed, stem

UNITS = listed(
    """
    adult animal applicant basket being bottle buyer candidate citizen client consumer couple customer family fellow
    flower folk friend group guest guy household human husband individual inhabitant lady lump member parent party
    passenger patient pensioner person plant player resident respondent river shopper specimen student tourist
    traveler traveller tumor tumour user victim visitor voter wife wives
    """
)
"""What a row may be called, or whom it is about. None of them is measured."""

_VERBS = listed(
    """
    accept achieve actual allow amount answer appear apply arrange assess associate assume attain average base be
    bear beat became began believe bought break bring build buy call came catch choose chose chosen claim climb
    collect combine compare concern connect consider contribute correspond cover cross deal decide decline decrease
    depend derive develop deviate differ differentiate distinguish divide dominate double down draw drew drop emerge
    end evaluate evolve exceed exclude expand explore fall fell figure fill filter find finish fit fluctuate focus
    form found gather gave generate go gone got grew grow guess guide hear held help identify ignore illustrate
    imagine improve increase indicate influence inspect intend interpret introduce invite kept knew know laid lay
    lead learn leave led left lie lift like link live look lower made mark match mean meant measure meet met miss
    mistake mix move note notice observe obtain occur offer omit open outnumber outweigh pick picked place point
    pool predict prefer prepare present produce progress prove provide put raise range reckon recognise recognize
    reduce refer reflect register relate remember repeat report require respond rest result reveal rise rose run
    said save saw scan see seen select sent separate serve set share shown sit skip sold span speak spent spot stand
    start stay stick stood stop store study subtract suit support suppose surpass switch taken talk tell tend
    thought tie told took total trace track travel turn understand update wait walk watch went win wish won wonder
    worry write wrote
    """
)
"""What is done or happens, in any of its forms."""

_OTHERS = listed(
    """
    actual actually additional alike alone already altogether always amid apart apiece approximate approximately
    aren't around asap available away back bar barely basic basically beginning beginnings beside besides beyond
    bottom breakdown brief briefly bunch can't certain chunk combined compact comparable comparing comparison
    complete completely concise consecutive considering context couldn't couple course current currently custom cut
    deal detail details didn't direct direction directly doesn't don't double easy eighties else entire equally
    especially essentially even eventually ever extent extra extreme extremely fair fairly far fellow few fifties
    final finally first five form former fraction full fully further gap general generally half halves hand handful
    hard hardly hasn't haven't hence hey high homework honest hopefully i'd i'm i've idea immediate impact info
    information initial instance instead intention interested internal isn't it's kindly largely last lately latter
    least left less lesson let's line link little longer loosely low luck majority matter maybe mean meaning
    meanwhile mid middle minor minority moment moreover mostly name namely near nearly necessary neither never nice
    nineties nobody none notable nothing notice now number numbers obvious obviously odd often ok okay once one ones
    onwards opposed opposite option ordinary original others otherwise outcome overview pace pair part parts past
    people per perhaps period periods piece place plain portion possible possibly present presentation pretty prior
    probably project proper properly pure purely purpose put question range rather ready reason regard regarding
    remaining remember rest rough roughly run same sense series seventies several sheet shift shouldn't side sides
    simple simply simultaneously single sixties small somebody someone something sometimes somewhat somewhere soon
    sort span specific specifically spite split spot spread start steady still straight straightforward strictly
    subsequent sudden suddenly sure swing term terms that's there's thereby thesis they're they've thirties
    thoroughly though throughout thus tiny together tonight toward towards true truly turn twenties twice twofold
    type typically ultimately under unless unlike unlikely upward upwards useful useless usual usually version very
    visible visibly wasn't we'd we're we've weren't whatever whenever whereas wherever whichever whoever widely will
    won't worse worst wouldn't yes yet you're you've zero
    """
)
"""How, when, how much, and other little words."""

OTHERS = listed("others other rest remainder remaining else everyone everybody anyone high low higher lower")
"""What a group is compared with that is no group of its own."""

_TURNS = re.compile(
    r"\b(?:side by side|one by one|step by step|little by little|day by day|year by year|by and large|by the way|"
    r"by far|"
    r"years of(?= age\b)|(?:days?|times|hours|nights?) (?:a|per) (?:day|week|month|year)|per head|"
    r"by hand|by chance|by mistake|by default|by itself|by themselves|by accident|by any chance|by now|by then|"
    r"by (?:how|what) (?:much|many|factor|percentage|percent)(?:\s+percent)?|"
    r"(?:by|at|towards?|until|from|in|near|before|after|since) the (?:very )?(?:end|beginning|start|middle|turn)"
    r"(?: of)?|"
    r"(?:over|during|across|in|for|throughout) the (?:whole|entire|full|complete|long)\s+"
    r"(?:period|time|range|run|term|span|series|record|while|sample|table|data)|"
    r"in the (?:long|short) (?:run|term)|in the first place|in a nutshell|in other words|in plain words|in one go|"
    r"from (?:first to last|start to finish|time to time|top to bottom)|again and again|more or less|so far|as a whole|"
    r"all in all|at (?:all|least|most|once|first|last|any rate|the moment|hand|random)|per se|per cent|on the whole|"
    r"on (?:the one|the other) hand|a bit|in (?:general|total|all|short|detail|fact|particular|order to|addition)|"
    r"(?:one|a|two|three) (?:number|figure|value|line|sentence|word)s? (?:please|only|will do|is enough)|"
    r"in (?:one|a) (?:number|sentence|word|line)|compared (?:to|with) (?:each other|one another)|"
    r"the rest of (?:them|us))\b",
    re.IGNORECASE,
)
"""Turns of phrase that hold words which would name something elsewhere."""


def without_turns(question: str) -> str:
    """The question with blanks for its turns of phrase, so that places in it stay where they are."""
    return _TURNS.sub(lambda found: " " * len(found.group()), question)


_NO_ADVERBS = listed("anomaly assembly supply elderly monopoly homily bodily")


def is_unit(word: str) -> bool:
    """Whether a word says what a row is, or whom it is about."""
    low = word.casefold()
    return low in UNITS or stem(low) in UNITS


def is_prose(word: str) -> bool:
    """Whether a word names nothing that data could have."""
    # A waiter is somebody, though to wait is nothing that data has.
    low = word.casefold()
    if low.endswith("ly") and len(low) > 5 and low not in _NO_ADVERBS:
        return True
    forms = (low, stem(low)) if stem(low).endswith(("er", "est", "ness")) else bases(low)
    return any(form in _OTHERS or form in UNITS for form in (low, stem(low))) or any(form in _VERBS for form in forms)
