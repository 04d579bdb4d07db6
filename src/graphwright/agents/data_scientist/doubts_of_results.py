"""Results that may be no answer, seen by code: what the question asks for beside what the result and the code have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphwright.agents.data_scientist.asking import AVERAGE, COUNTING, PERCENT
from graphwright.agents.data_scientist.coding import Fault, columns_used
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.conditions import Condition, conditions_in, number_text, years_in
from graphwright.agents.data_scientist.doubts import DOUBT, GROUPING, P_VALUE
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.results import numbers_in, numbers_of_text
from graphwright.agents.data_scientist.tables import texts
from graphwright.agents.data_scientist.words import CALENDAR, PLOTTING

if TYPE_CHECKING:
    from graphwright.sandbox.execution import Execution

_TEST = re.compile(
    r"\b(?:t-?tests?|anova|chi-?squared?|chi2|mann-?whitney|wilcoxon|kruskal|shapiro|fisher|p-?values?)\b"
    r"|\b(?:significant|significantly|significance|signifikan\w*)\b(?!\s+(?:digits?|figures?|decimals?|stellen))",
    re.IGNORECASE,
)
_TESTED = re.compile(
    r"p_?-?val|ttest|_test\b|f_oneway|chi2|mannwhitney|wilcoxon|kruskal|shapiro|pearsonr|spearmanr|kendalltau|linregress"
    r"|\.fit\(|anova|ks_2samp|\.sf\(|\.cdf\(|tukey|permut|bootstrap|random",
    re.IGNORECASE,
)
_COMPARING = re.compile(
    r"\b(?:vs|versus|compared?|comparing|comparison|im vergleich|verglichen|gegenüber)\b"
    r"(?!.*\b(?:difference|unterschied|differenz)\b)",
    re.IGNORECASE,
)
_FOR_EACH = re.compile(
    r"(?<!ed )(?<!en )\b(?P<word>each|every|per|by|pro|je|jede[nrms]?)\s+(?:the\s+)?$"
    r"|\b(?:grouped|broken down|split) by\s+$",
    re.IGNORECASE,
)
_NO_GROUPS = re.compile(
    r"\b(?:which|who|whose|highest|lowest|largest|smallest|biggest|most|least|fewest|best|worst|top|maxim\w*|minim\w*"
    r"|differ\w*|range|ratio|gap|correl\w*|anova|tests?|signifi[ck]\w*|relat\w*|depend\w*|associat\w*|regress\w*"
    r"|slope|coefficient|predict\w*|forecast\w*|explain\w*|factor|odds|extra|additional"
    r"|increase|vari\w*|spread|how much more|many different|distinct|welche\w*|höchste\w*|größte\w*"
    r"|meiste\w*|unterschied\w*"
    r"|zusammenh\w*|abh[äi]ng\w*)\b",
    re.IGNORECASE,
)
_ONE_PICKED = re.compile(r"\.i?loc\[|\.head\(1\)|\.iat\[|\.at\[|\.values\[|\.max\(\)|\.min\(\)|\.first\(\)|\.last\(\)")
_OF_ALL = re.compile(
    r"\b(?:on average|in total|altogether|in all|how many|insgesamt|im (?:durchschnitt|mittel|schnitt)|durchschnittlich"
    r"|wie ?viele|en moyenne|au total|combien)\b",
    re.IGNORECASE,
)
_GROUPING_TOO = re.compile(
    r"\b(?:pro|je|jede\w*|nach|welche\w*|wer|zwischen|liste\w*|zeig\w*|chaque|selon|quel(?:le)?s?|show|different|names?)\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\b(?:share|proportion|fraction|anteil\w*)\b|\b(?:percent|percentage|%|prozent) (?:of|der|aller)\b", re.IGNORECASE
)
_ODDS = re.compile(r"\bodds\b", re.IGNORECASE)
_IN_YEAR = re.compile(
    r"\b(?:in|for|of|during|since|after|before|until|from|year|im jahr|jahr|seit|vor|nach|bis|für|en|depuis|avant"
    r"|après)\s+$",
    re.IGNORECASE,
)
_WHO_IS_TOLD = re.compile(
    r"\b(?!(?:me|us|know|in|at|on|of|for|and|or|see|by|is|out|with|to)\b)\w+,?\s+(?:who|that)\b", re.IGNORECASE
)
_NONE_OF = r"\b(?:no|without(?: any)?|zero|kein(?:e|en|er)?|ohne)\s+"


def doubtful(
    code: str, question: str, named: Mentions, columns: Sequence[ColumnView], execution: Execution
) -> Fault | None:
    """Why a result may be no answer, to be told once; None where nothing speaks against it."""
    why = (
        _untested(code, question, execution)
        or _unmet(code, question, named, columns)
        or _not_for_each(code, question, named, execution)
        or _not_compared(question, named, execution)
        or _not_reduced(code, question, named, execution)
        or _no_share(question, named, execution)
        or _no_factor(code, question)
        or _unnamed(question, named, execution)
        or _negative_count(question, execution)
        or _nothing_found(execution)
    )
    return Fault(f"{DOUBT}{why}") if why else None


def _untested(code: str, question: str, execution: Execution) -> str:
    if not _TEST.search(question) or (execution.figures and PLOTTING.search(question)):
        return ""
    wanted = 'Put it into result: result = {"statistic": test.statistic, "p_value": test.pvalue}.'
    if not _TESTED.search(code):
        return f"the question asks for a test, and none is made. Use scipy.stats. {wanted}"
    found = [*numbers_in(execution), *numbers_of_text(execution.stdout)]
    if not any(0 <= number < 1 for number in found) and not P_VALUE.search(code):
        return f"the question asks for a test, and the result holds no p-value. {wanted}"
    return ""


def _unmet(code: str, question: str, named: Mentions, columns: Sequence[ColumnView]) -> str:
    """A value, a year or a figure by which the question chooses rows, and of which the code knows nothing."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    written = [each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)]
    said = " ".join(each for each in written if isinstance(each, str)).casefold()
    used = columns_used(code, columns)
    numbers = {float(each) for each in written if isinstance(each, int | float)} | set(numbers_of_text(said))
    return (
        _unmet_value(said, used, named)
        or _unmet_year(code, question, columns, numbers)
        or _unmet_figure(question, numbers)
    )


def _unmet_value(said: str, used: set[str], named: Mentions) -> str:
    by_words: dict[str, list[tuple[str, str]]] = {}
    for each in named.values:
        by_words.setdefault(each.said, []).append((each.column.name, each.value))
    of_columns = " ".join(each.said for each in named.columns).casefold()
    for words, meant in by_words.items():
        if words.casefold() in of_columns or any(value.casefold() in said or name in used for name, value in meant):
            continue
        name, value = meant[0]
        return (
            f"the question is about {words!r}, but the code does not look at it. Use the rows with {name} == {value!r}."
        )
    return ""


def _unmet_year(code: str, question: str, columns: Sequence[ColumnView], numbers: set[float]) -> str:
    years = years_in(question)
    dated = [c for c in columns if c.type in ("date", "datetime") or CALENDAR & set(c.parts)]
    if len(years) != 1 or not dated or not _IN_YEAR.search(question[: question.find(str(years[0]))]):
        return ""
    # A table of all years has this one too.
    if {years[0] - 1, years[0], years[0] + 1} & numbers or ("groupby" in code and "year" in code.casefold()):
        return ""
    date = next((c for c in dated if c.type in ("date", "datetime")), None)
    of_year = f"pd.to_datetime(df[{date.name!r}]).dt.year" if date else f"df[{dated[0].name!r}]"
    return (
        f"the question is about {years[0]}, but the code takes the rows of all years. "
        f"Compare {of_year} with {years[0]}."
    )


def _unmet_figure(question: str, numbers: set[float]) -> str:
    years = set(years_in(question))
    for each in conditions_in(question):
        figure = each.figure
        # Rows that are there more than once can be found without the figure.
        if figure in (0, 1) or figure in years or _TEST.search(question):
            continue
        forms = {figure, figure / 100, figure * 1_000, figure * 1_000_000, figure - 1, figure + 1}
        if not any(abs(number - form) < 1e-9 * max(1, abs(form)) for number in numbers for form in forms):
            words = question[each.start : each.end]
            return f"the question says {words!r}, but the code has no {number_text(figure)}. Choose the rows by it."
    return ""


def _not_for_each(code: str, question: str, named: Mentions, execution: Execution) -> str:
    """Where one value is asked for each value of one column, and the result has one value, or many for each."""
    groups: dict[str, tuple[ColumnView, str]] = {}
    for each in named.columns:
        found = _FOR_EACH.search(question[: question.find(each.said)])
        if found and (each.column.values or (each.sure and each.column.type == "text")):
            groups[each.column.name] = (each.column, (found["word"] or "by").casefold())
    others = [
        each
        for each in named.columns
        if each.column.name not in groups and each.column.type not in ("integer", "number")
    ]
    if len(groups) != 1 or named.times or named.values or execution.figures:
        return ""
    ((name, (column, word)),) = groups.items()
    result, many = execution.result, len(column.values)
    if not others and result.type == "table" and many and result.row_count > 3 * many + 3:
        return (
            f"the result has {result.row_count:,} rows, but {name!r} has only {many} different values. "
            f"Group by {name!r} and compute one value for each group."
        )
    # "The average number of pieces per product" is one number, "the total by product" is not.
    rate = word in ("per", "pro", "je") and (AVERAGE.search(question) or PERCENT.search(question))
    one = result.type == "scalar" or (result.type == "table" and result.row_count == 1)
    picked = bool(_ONE_PICKED.search(code))
    if one and many != 1 and (picked or not rate) and not _NO_GROUPS.search(question) and not execution.stdout:
        return (
            f"the question asks for a value of each {name!r}, but the result has only one. "
            f"Group by {name!r} and put all groups into result."
        )
    return ""


def _not_compared(question: str, named: Mentions, execution: Execution) -> str:
    """Where two groups are compared, "smokers vs. others", "none vs. three or more", and the result is one number."""
    result = execution.result
    if result.type != "scalar" or not isinstance(result.value, int | float) or execution.stdout:
        return ""
    mark = _COMPARING.search(question)
    if not mark or _TEST.search(question) or _NO_GROUPS.search(question[: mark.start()]):
        return ""
    by_column: dict[str, list[str]] = {}
    for each in named.values:
        by_column.setdefault(each.column.name, []).append(each.value)
    for name, values in by_column.items():
        if len(set(values)) > 1:
            told = " and ".join(map(repr, dict.fromkeys(values)))
            return (
                f"the question compares {told} of {name!r}, but the result is only one number. "
                f"Group by {name!r} and compute one value for each of them."
            )
    bounds = sorted(_bounds(question, named), key=lambda each: each.start)
    if any(each.end <= mark.start() for each in bounds) and any(each.start >= mark.end() for each in bounds):
        told = " and ".join(repr(question[each.start : each.end]) for each in bounds)
        return f"the question compares {told}, but the result is only one number. Compute one value for each of them."
    return ""


def _bounds(question: str, named: Mentions) -> Iterator[Condition]:
    """The bounds that the question states, "no children" among them."""
    yield from conditions_in(question)
    for each in named.columns:
        if each.column.type in ("integer", "number"):
            found = re.search(_NONE_OF + re.escape(each.said), question, re.IGNORECASE)
            if found:
                yield Condition("==", 0.0, found.start(), found.end())


def _not_reduced(code: str, question: str, named: Mentions, execution: Execution) -> str:
    """Where one number over all is asked for, and the result is a table of groups that the question does not name."""
    result = execution.result
    if result.type != "table" or result.row_count <= 3 or execution.figures:
        return ""
    # "The people who bought" asks for nobody's name.
    asked_for = _WHO_IS_TOLD.sub(" ", question)
    if not _OF_ALL.search(question) or _COMPARING.search(question) or _NO_GROUPS.search(asked_for):
        return ""
    if GROUPING.search(asked_for) or _GROUPING_TOO.search(asked_for) or len(named.values) > 1:
        return ""
    asked = {each.column.name for each in named.columns if each.sure and each.column.type not in ("integer", "number")}
    keys = {text for call in _calls(code, "groupby") for each in call.args for text in texts(each)}
    if keys & asked or not (keys or _calls(code, "groupby")):
        return ""
    how = "its length" if COUNTING.search(question) and not AVERAGE.search(question) else "its mean"
    if not AVERAGE.search(question) and not COUNTING.search(question):
        how = "its sum"
    return (
        f"the question asks for one number over all, but the result is a table of {result.row_count:,} rows. "
        f"Reduce it to one number, such as {how}."
    )


def _calls(code: str, method: str) -> list[ast.Call]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == method
    ]


def _no_share(question: str, named: Mentions, execution: Execution) -> str:
    result = execution.result
    if result.type != "scalar" or not isinstance(result.value, int | float) or not named.values:
        return ""
    if PERCENT.search(question) and _SHARE.search(question) and not -1e-9 <= result.value <= 100 + 1e-9:
        return "the question asks for a share, and no share is below 0 or above 100. Divide the part by the whole."
    return ""


def _no_factor(code: str, question: str) -> str:
    """A coefficient of a logistic regression where the factor of the odds is asked for."""
    if _ODDS.search(question) and "exp" not in code and re.search(r"logit|\.params\b|coef_", code, re.IGNORECASE):
        return "the coefficient is the logarithm of the factor of the odds. Put np.exp of it into result."
    return ""


def _unnamed(question: str, named: Mentions, execution: Execution) -> str:
    """Where the question asks which one, by a column of texts, and the result is a bare number."""
    result = execution.result
    if result.type != "scalar" or isinstance(result.value, str | bool) or result.value is None or execution.stdout:
        return ""
    for each in named.columns:
        before = question[: question.find(each.said)]
        if each.column.type == "text" and re.search(r"\b(?:which|whose)\s+(?:[\w-]+\s+)?$", before, re.IGNORECASE):
            return (
                f"the question asks which {each.column.name!r}, but the result is only a number. "
                f"Put the value of {each.column.name!r} into result, with the number."
            )
    return ""


def _negative_count(question: str, execution: Execution) -> str:
    result = execution.result
    counted = re.match(r"\W*how many\b", question, re.IGNORECASE) and not re.search(
        r"\b(?:more|fewer|less)\b", question
    )
    if counted and result.type == "scalar" and isinstance(result.value, int | float) and result.value < 0:
        return "the question asks how many, and the result is negative. Count the rows that are meant."
    return ""


def _nothing_found(execution: Execution) -> str:
    result = execution.result
    if result.type == "table" and not result.row_count and not execution.figures:
        return "the result is a table without rows. Look at the filters, and at the columns of a join."
    return ""
