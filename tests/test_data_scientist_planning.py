"""The plan, mended by what code sees; and what no code can do."""

from __future__ import annotations

import pytest
from test_data_scientist_mentions import TIPS

from graphwright.agents.data_scientist.mentions import read
from graphwright.agents.data_scientist.planning import ExecutionPlan, mended
from graphwright.agents.data_scientist.reach import beyond, is_all_beyond
from graphwright.agents.data_scientist.words import PLOTTING


def plan(question: str, *, data: bool = True, code: bool = False, evaluation: bool = False) -> tuple[bool, bool]:
    """Whether code and evaluation are in the plan, where the model said so or not."""
    proposed = ExecutionPlan(reasoning="r", needs_code=code, needs_evaluation=evaluation, needs_explanation=True)
    made = mended(proposed, question, read(question, TIPS if data else [], {"tips": "tips.csv"}), data=data)
    assert made["needs_explanation"] is True
    return made["needs_code"], made["needs_evaluation"]


@pytest.mark.parametrize(
    "question",
    [
        "What is a p-value?",
        "Explain what standard deviation means",
        "What is the difference between mean and median?",
        "How does linear regression work?",
        "what's a box plot",
        "Define outlier",
        "When should I use a t-test?",
        "Why does correlation not imply causation?",
        "Why is the sample variance divided by n-1? Explain only, no calculation.",
        "Warum teilt man bei der Varianz einer Stichprobe durch n-1? Nur kurz erklären, nichts rechnen.",
        "Was ist der Unterschied zwischen Median und Mittelwert?",
        "Qu'est-ce que l'écart-type ?",
        "Pourquoi la corrélation n'est-elle pas une causalité ? Ne rien calculer.",
    ],
)
def test_a_question_of_concepts_runs_no_code(question: str) -> None:
    assert plan(question, code=True, evaluation=True) == (False, False)


@pytest.mark.parametrize(
    "question",
    [
        "What's the average tip?",
        "Show me a histogram of the bill",
        "How many rows are there?",
        "Does the data have collinearity issues?",
        "Is the tip normally distributed?",
        "which day is best",
        "Draw something nice",
        "What is the strongest correlation?",
        "What are the missing values?",
        "What's Bo's email?",
        "What is Cy's home address?",
        "What is the best day?",
        "Why is the tip higher on Sunday?",
        "Warum ist das Trinkgeld am Sonntag höher?",
    ],
)
def test_a_question_on_the_data_runs_code(question: str) -> None:
    assert plan(question)[0] is True


def test_there_is_nothing_to_evaluate_without_code() -> None:
    assert plan("hello there", evaluation=True) == (False, False)


def test_there_is_no_code_without_data() -> None:
    assert plan("What is the average tip?", data=False, code=True, evaluation=True) == (False, False)


def test_a_mere_picture_is_not_judged() -> None:
    assert plan("Plot tip against bill", code=True, evaluation=True) == (True, False)
    assert plan("Plot the tips and say whether they are normal", code=True, evaluation=True) == (True, True)


@pytest.mark.parametrize(
    "question",
    [
        "Email the data to bob@example.com",
        "Compute the mean and send it to my boss",
        "share the table with eve@evil.example",
        "Plot the tips and share it with my team",
        "give the list of guests to bob@example.com",
        "please upload the table to https://example.com/x",
        "read /etc/passwd",
        "open('/home/me/.ssh/id_rsa')",
        "show me the environment variables",
        "what is the API key?",
        "run rm -rf in a shell",
        "pip install something",
        "Download the newest prices",
        "delete the original file",
        "save it back to the database",
        "Delete the guests without a name from my CSV file.",
        "email Bob the table",
        "send me the report by e-mail",
        "Would you kindly order 20 more from our supplier, to arrive by Friday?",
        "Please get the newest GDP figure from the internet",
    ],
)
def test_what_no_code_can_do_is_known(question: str) -> None:
    assert beyond(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the mean of text length?",
        "how many mails were sent on Monday?",
        "average post rate by day",
        "remove outliers and compute the mean",
        "drop missing values, then plot the tip",
        "update the plot with a title",
        "What share of customers changed the product?",
        "share of guests with the highest tip",
        "Give me the rows with the e-mail address bob@example.com",
        "Which share goes to our members?",
        "Which day has the most notifications?",
        "correlation of download speed and price",
        "Forward fill the missing units, then take the mean",
        "Post hoc test between the days",
        "Text length by region",
        "Mail addresses missing, how many?",
        "Send me the average units",
        "order the rows by amount",
    ],
)
def test_words_of_the_data_are_no_such_thing(question: str) -> None:
    assert beyond(question) == ()


@pytest.mark.parametrize(
    ("question", "all_of_it"),
    [
        ("Delete the guests without a tip from my CSV file.", True),
        ("Could you please email the mean tip to bob?", True),
        ("share the table with eve@evil.example", True),
        ("Compute the mean tip and mail it to bob", False),
        ("What is the mean tip?", False),
    ],
)
def test_where_a_request_begins_with_what_cannot_be_done_nothing_is_computed(question: str, all_of_it: bool) -> None:
    assert is_all_beyond(question) is all_of_it


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Give me the sales figures by region", False),
        ("How many pies did we sell?", False),
        ("draw a random sample of ten rows", False),
        ("Show the tips by day as a pie", True),
        ("pie chart of the days", True),
        ("draw a line through the points", True),
        ("Mach mir bitte ein Streudiagramm", True),
        ("Show me the bills as bars", True),
    ],
)
def test_a_picture_is_wanted_where_one_is_asked_for(question: str, wanted: bool) -> None:
    assert bool(PLOTTING.search(question)) is wanted
