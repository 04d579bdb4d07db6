"""The plan of an answer: what the model proposed, mended by what code can see."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.words import PLOTTING


class ExecutionPlan(BaseModel):
    """Which steps answer the question."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = Field(description="one short sentence", max_length=2_000)
    needs_code: bool = Field(description="the answer has to be computed from the data")
    needs_evaluation: bool = Field(description="the computed result has to be judged, not only told")
    needs_explanation: bool = Field(default=True, description="the answer needs words")


_ASKS_FOR_WORDS = re.compile(
    r"\b(?:explain|define)\b|\b(?:describe|tell me)\s+what\s+[\w\s-]{2,40}\s(?:is|are|means?|does|do)\s*(?:[?.!]|$)|"
    r"\bwhat(?:'s|’s| is| are| does| do| did)\b|"
    r"\b(?:how|when|why)\s+(?:does|do|is|are|should|would|can|to|must|isn't|doesn't|don't|not|one)\b|\bmeans?\s*\?*$|"
    r"\bdifference between\b|\bin plain words\b",
    re.IGNORECASE,
)
_FOREIGN_WORDS = re.compile(
    r"\b(?:warum|wieso|weshalb|wozu|was (?:ist|sind|bedeutet|bedeuten|heißt|meint|versteht)|wann (?:nimmt|nehme|soll|"
    r"sollte|benutzt|verwendet)|wie (?:funktioniert|liest|lese|deutet|interpretiert|versteht)|erkläre?n?|erklär|"
    r"definiere|unterschied zwischen|pourquoi|qu['’]est[- ]ce (?:que?|qu)|que (?:signifie|veut dire)|c['’]est quoi|"
    r"quand (?:faut|doit|utilise)|comment (?:fonctionne|lire|interpréter|marche)|explique[rz]?|définis|définir|"
    r"différence entre)\b",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"^\W*(?:(?:please|can you|could you)\s+)*(?:what(?:'s|’s| is| are)\s+an?\s|explain|define|"
    r"was (?:ist|sind) eine?\b|erklär|qu['’]est[- ]ce)",
    re.IGNORECASE,
)
_NO_RECKONING = re.compile(
    r"\b(?:no|without(?: any)?|skip the)\s+(?:calculations?|computations?|computing|calculating|maths?)\b|"
    r"\bno need (?:to|for)\s+(?:any\s+)?(?:calculat\w+|comput\w+|code)\b|"
    r"\b(?:do not|don't|don’t|need not|needn't)\s+(?:calculate|compute|run|reckon)\b|"
    r"\b(?:explain|explanation|words) only\b|"
    r"\b(?:only|just)\s+(?:explain|an explanation|the explanation|words|in words)\b|"
    r"\b(?:nichts|nicht|ohne zu|ohne etwas zu)\s+(?:aus|be)?(?:zu)?rechnen\b|\bohne (?:rechnung|berechnung)\b|"
    r"\bnur\s+(?:kurz\s+)?erklär\w*|\bnur (?:in worten|eine erklärung)\b|"
    r"\b(?:rien|pas)\s+(?:à\s+)?calculer\b|\bsans\s+(?:rien\s+)?calcul(?:er|s)?\b|\bne (?:rien )?calcule[rz]?\b|"
    r"\b(?:juste|seulement|simplement)\s+(?:une explication|expliquer|m['’]expliquer)\b",
    re.IGNORECASE,
)
_GERMAN_TERMS = re.compile(
    r"\b(?:varianz|standardabweichung|mittelwert|median|durchschnitt|modus|stichproben?\w*|grundgesamtheit|signifikan\w+|"
    r"korrelation\w*|kausal\w*|regression\w*|streuung|p-?wert|konfidenz\w*|normalverteil\w+|verteilung|ausreißer|nullhypothese|"
    r"hypothesen?\w*|freiheitsgrad\w*|überanpassung|t-?test|chi-?quadrat\w*|quantil\w*|quartil\w*|wahrscheinlichkeit\w*|"
    r"schiefe|logarithm\w*|boxplot|histogramm|anova|varianzanalyse|residu\w*|bestimmtheitsmaß|irrtumswahrscheinlichkeit|"
    r"variance|écart[- ]type|moyenne|médiane|échantillon\w*|significati\w+|corrélation\w*|causalité|régression\w*|"
    r"valeur[- ]p|p-?value|intervalle|loi normale|distribution|aberrante\w*|hypothèse\w*|degrés? de liberté|"
    r"surapprentissage|"
    r"khi-?deux|quantile\w*|quartile\w*|probabilité\w*|histogramme)\b",
    re.IGNORECASE,
)
_TERMS = re.compile(
    r"\b(?:p-?values?|median|mean|mode|average|variance|standard (?:deviation|error)|deviation|regression|correlation|"
    r"causation|"
    r"overfitting|underfitting|outliers?|confidence interval|hypothes[ie]s|null|t-?test|tests?|anova|chi-?squared?|"
    r"histogram|box ?plot|quantiles?|quartiles?|percentiles?|distribution|skew\w*|kurtosis|significan\w+|sampl\w+|bias|"
    r"logarithm\w*|log|scale|probability|odds|bayes\w*|bootstrap\w*|clustering|k-?means|pca|residuals?|r[- ]squared|"
    r"\w*collinearity|\w*scedasticity|degrees of freedom|statistic\w*|interval|error|power|effect size|"
    r"normal(?:ity|ly)?|randomi[sz]\w+|likelihood|\w+ paradox|central limit theorem|law of large numbers|bonferroni|"
    r"cross[- ]validation|confound\w*|imputation|n ?- ?1|axis|violin|heat ?map|scatter)\b",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    r"\b(?:strongest|weakest|highest|lowest|largest|smallest|biggest|most|least|best|worst|first|last|missing|top|total|"
    r"overall|unique|duplicate)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:how many|how much|number of|count|list|show|which|compute|calculate|top|first|last)\b", re.IGNORECASE
)
_OF_THIS_DATA = re.compile(
    r"\b(?:the|this|these|my|our|your)\s+"
    r"(?:data|dataset|data set|table|file|columns?|variables?|rows?|features?|sample)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^\W*(?:what|which|who|whose|where|when|is|are|was|were|do|does|did|has|have|how|find|test|check|fit|regress|compare|"
    r"predict|rank|group|sort|average|mean|median|total|sum|correlat\w+|whats)\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\b(?:is it|is this|is that|are they|unusual|significant|significantly|enough|good|bad|too|collinear\w*|"
    r"should|recommend|conclude|interpret|normal(?:ly)?|strong|weak|reliable|evidence)\b",
    re.IGNORECASE,
)


UNPLANNED = ExecutionPlan(reasoning="the model made no plan", needs_code=False, needs_evaluation=False)
"""What code plans from where the model gives nothing that it can read."""


def is_conceptual(question: str, mentions: Mentions, *, data: bool = True) -> bool:
    """Whether it asks for a term of statistics, and nothing of this data. Without `data` any term will do.

    Where nothing is to be computed by its own words, a reason that is asked for is a question of concepts, too.
    """
    in_words = bool(_ASKS_FOR_WORDS.search(question) or _FOREIGN_WORDS.search(question))
    if _NO_RECKONING.search(question) and (in_words or not mentions.of_the_data):
        return True
    if mentions.columns or mentions.values or _OF_THIS_DATA.search(question) or not in_words:
        return False
    if not data:
        return not _COUNTED.search(question)
    # "What is a histogram?" names a picture and wants none.
    if (mentions.datasets or PLOTTING.search(question)) and not _DEFINED.search(question):
        return False
    if mentions.foreign:
        return bool(_GERMAN_TERMS.search(question) and _FOREIGN_WORDS.search(question))
    return bool(_of_terms(question, mentions)) and not _COUNTED.search(question)


def _of_terms(question: str, mentions: Mentions) -> bool:
    """Whether the words are about a term: "a p-value", "does regression work", and not "the strongest correlation"."""
    if _DEFINED.search(question):
        # What is unknown may be a term that is not listed; what belongs to somebody is none.
        return bool(_TERMS.search(question)) or not mentions.missing
    if _EXTREME.search(question) or not _TERMS.search(question):
        return False
    return not mentions.missing and len(mentions.unknown) <= _MOST_OTHER_WORDS


_MOST_OTHER_WORDS = 3
"""Unknown words of a question on a term: "why does dividing by n - 1 debias the variance"."""


def mended(proposed: ExecutionPlan, question: str, mentions: Mentions, *, data: bool) -> dict[str, Any]:
    """The plan as it is carried out: code runs for questions on the data, never for those on terms."""
    plan = proposed.model_dump()
    if not data or is_conceptual(question, mentions, data=data):
        plan["needs_code"] = False
    elif mentions.of_the_data or any(p.search(question) for p in (PLOTTING, _COUNTED, _OF_THIS_DATA, _ASKED)):
        plan["needs_code"] = True
    if not plan["needs_code"]:
        plan["needs_evaluation"] = False
        plan["needs_explanation"] = True
    elif not _JUDGED.search(question) and PLOTTING.search(question):
        # A picture speaks for itself; there is nothing in it that a model could judge.
        plan["needs_evaluation"] = False
    return plan
