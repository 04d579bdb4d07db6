"""English words that questions over data are made of, and words that stand for each other in them."""

from __future__ import annotations

import re


def listed(words: str) -> frozenset[str]:
    """A set of words, written one after the other."""
    return frozenset(words.split())


WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|_", re.UNICODE)
"""A word of a text; underscores stand alone."""

FUNCTION_WORDS = listed(
    """
    one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million
    a about above after again all also am among an and any are as at be been before being below between both but
    by can could did do does doing down each either else every few find for from further give given had has have
    having he her here him his how i if in into is it its just let list lot made make many may me might more
    most much must my need no nor not now of off on once one only or other our out over own per please same she
    should show so some still such tell than that the their them then there these they this those through to too
    under until up us use used using versus vs want was we were what when where whether which while who whom
    whose why will with within without would you your
    """
)

STATISTICS = listed(
    """
    answer code important increasing decreasing influential informative interesting list order result similar story
    strongly typical useful
    accuracy against aggregate aggregated amount analyse analysis analyze anova association assumption avg
    autocorrelation average averages balance bar bars baseline bayes bell bias bin bins bivariate bootstrap box
    boxplot boxplots breakdown calculate categorical categories category causal causation centroid chart charts
    chi chisquare classifier classification classify cluster clustering clusters coefficient coefficients cohen
    collinear collinearity column columns combine common compare compared comparison compute confidence
    confounding confusion correlate correlated correlation correlations count counts covariance cross crosstab
    cumulative curve data dataset datasets decile degrees density descriptive deviation deviations dependent
    difference differences differ different dimension dispersion distributed distribution distributions dummy
    effect equal error errors estimate exceed exploratory f1 factor feature features figure figures fit fitted
    forecast frequencies frequency frequent frequently gaussian gini graph graphs greater group grouped groups
    heatmap heteroscedasticity higher highest histogram histograms homoscedasticity hypothesis imbalance impact
    importance imputation independent influence interaction intercept interval iqr join joined kmeans kruskal
    kurtosis label largest least length leverage likelihood line linear log logistic lower lowest mae mann
    matrix max maximum mean means measure median medians merge min minimum missing mode model models multiple
    multicollinearity multivariate nan negative nominal normal normality normalise normalize null number numbers
    numeric odds ordinal outlier outliers overfitting p pair paired pairwise parameter parametric pca pearson
    per percent percentage percentages percentile percentiles pie pivot plot plots point population positive
    power precision predict predicted prediction predictor predictors principal probability proportion
    proportional pvalue quantile quantiles quartile quartiles r r2 random range rank ranking ranks rate ratio
    recall record records regress regression regressions relate related relation relations relationship
    relationships relative residual residuals rmse roc row rows sample samples sampling scale scatter
    scatterplot schema score sd shape share shares significance significant significantly skew skewed skewness
    slope smallest sort sorted spearman spread squared squares standard standardise standardize statistic
    statistical statistically statistics std stddev strength strong strongest subset subplots sum summarise
    summarize summary sums t table tables test tests top total totals trend trends ttest type types underfitting
    unique univariate unusual unusually value values variable variables variance variances vary violin visualise
    visualization visualisation visualize weak whisker whitney wilcoxon x y z zscore
    """
)

COMMON = listed(
    """
    add added adding affect affects apply asked become begin begins belong belongs better bit bring brought bringing
    came change changed changes chance check clear clearly come comes contain contains cause describe did display
    divide draw drawn effect end ends enough everything exact exactly exist exists expected explain explained
    explains fast fine follow following follows general get gap gets getting give gives go goes going good got great
    grew grow growing grown growth grows happen happened happens hello help hi hold holds hope include included
    including involve issue issues keep kind know know known like likely long look looks lot lowest main make makes
    matter matters mention need needed nice normally occur occurs overall particular party please plotted possible
    problem problems quick quickly quite rather reach reached real really remain remains represent respectively
    right rough roughly round rounded run say says see seem seems seen separate separately set short single small
    something sort split starting stand state step suggest taken takes taking thank thanks think three tidy time
    times together treated try turn understand usual usually vary via way ways whats whole work worked working works
    worth wrong you'd pls
    """
)
"""Words that say nothing of what is asked for."""

GENERAL = listed(
    """
    active best bestseller bestsellers bestselling biggest bought busiest busy buy buys favorite favourite first
    last nth order ordered orders peak peaks performance performing popular popularity purchase purchased purchases
    quiet quietest rare rarest second sell selling sells smallest sold successful third well worst
    """
)
"""Words for much or little of whatever is measured, or counted."""

ORDER = listed(
    """
    ago earlier earliest early late later latest new newer newest previous recent recently
    """
)
"""Words for earlier and later: they mean a date, where there is one."""

ROWS = listed(
    """
    case cases entry entries everybody everyone individual individuals instance instances item items member
    members observation observations participant participants people person persons record records respondent
    respondents row rows subject subjects thing things
    """
)
"""What a row is called when nothing else is known of it."""

DAYS = listed("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = listed("january february march april may june july august september october november december")
TIME_UNITS = (
    DAYS
    | MONTHS
    | listed(
        """
    day days month months year years week weeks weekday weekdays hour hours quarter quarters decade decades date
    time daily weekly monthly quarterly yearly annual annually hourly weekend weekends today yesterday tomorrow
    morning mornings afternoon afternoons evening evenings night nights
    """
    )
)

CALENDAR = listed("date year yr month timestamp decade")
"""Parts of names of columns by which rows can be put into days, months or years."""

SYNONYMS: tuple[frozenset[str], ...] = tuple(
    listed(group)
    for group in (
        "salary wage wages pay income earnings earn compensation remuneration rich poor",
        "price cost fare charge fee expensive cheap cheapest costly pricey",
        "revenue turnover sales proceeds amount spent spend spending takings",
        "gender sex",
        "female woman women girl girls lady ladies f",
        "male man men boy boys m",
        "age old older oldest young younger youngest",
        "height tall taller tallest high",
        "weight heavy heavier heaviest light mass",
        "length long longer longest",
        "width wide wider widest broad",
        "area size large larger large big bigger",
        "speed fast faster fastest slow velocity",
        "country nation state nationality",
        "city town",
        "expenditure spending spend spent expense expenses outlay",
        "region area zone territory",
        "quantity amount units count number qty",
        "date day time when",
        "year yr",
        "month mon",
        "department dept division",
        "temperature temp warm cold cool hot tmin tmax tavg",
        "consumption usage use",
        "mpg mileage economy efficiency",
        "horsepower hp power",
        "unemployment unemployed unemp jobless",
        "employment employed emp jobs",
        "inflation infl",
        "population pop inhabitants capita head",
        "alcohol alcoholic",
        "smoker smoke smokes smoking smoked",
        "diagnosis target class label outcome",
        "species kind type variety class",
        "survived survive survival survivor survivors",
        "rating score grade mark",
        "name title called",
        "customer client buyer shopper consumer",
        "product item article",
        "order purchase",
        "latitude lat",
        "longitude lon lng long",
        "education schooling educ school",
        "children kids child",
        "married marriage marital",
        "house home housing",
        "room rooms",
        "distance far dist",
        "duration long minutes",
        "blood bp pressure",
        "profit gain margin",
        "discount rebate reduction",
        "firm company business enterprise corporation",
        "choice choose chose chosen pick picked select selected decided",
        "mode way transport transportation",
        "volume flow discharge water",
        "color colour",
        "television tv",
        "religious religion faith church",
        "husband husb spouse",
        "years yrs",
        "share percent pct percentage proportion",
        "student pupil",
        "postcode postal zip plz",
        "happy happiness happier satisfied satisfaction",
        "humidity moisture humid",
        "rainfall rain rainy wet dry precipitation niederschlag",
    )
)

_PICTURES = (
    r"(?:plot|chart|graph|histogram|box ?plot|violin|scatter ?(?:plot)?|heat ?map|visuali[sz]e|visuali[sz]ation|"
    r"bar ?chart|line ?chart|diagram|pie ?(?:chart|plot|graph))s?",
    # Sales have figures, bakers have pies, and samples and conclusions are drawn without a pencil.
    r"(?:draw|make|show|create|paint|sketch)\s+(?:(?:me|us|it|this|them|the data)\s+)?(?:as\s+)?(?:an?\s+)(?:\w+\s+)?"
    r"(?:figure|pie|picture|sketch)",
    r"(?:as|in|into)\s+(?:an?\s+)(?:\w+\s+)?(?:figure|pie|picture|line|curve)",
    r"as\s+(?:\w+\s+)?(?:bars|boxes|pies|points|lines)",
    r"draw(?!\s+(?:an?\s+|the\s+|any\s+|some\s+)?(?:\w+\s+)?(?:samples?|conclusions?|attention|lots?|comparisons?)\b)",
    r"\w*diagramme?|balkengrafik|grafik|zeichne|zeichnen|histogramme?|als\s+(?:\w+\s+)?(?:linie|balken|kurve|punkte)",
    r"graphique|courbe|nuage\s+de\s+points|camembert|dessine[rz]?",
)
PLOTTING = re.compile(rf"\b(?:{'|'.join(_PICTURES)})\b", re.IGNORECASE)
"""What asks for a picture."""


_FOREIGN = listed(
    """
    aber alle am anzahl auf aus bei bitte das dem den der des die durchschnitt durchschnittlich ein eine einen einer
    eines es für gab gibt haben hat hoch höchste höchsten im ist jahr je jede jeden jeder kein keine mit nach oder pro
    sind und viel viele von wann war waren warum welche welchem welchen welcher welches wenn wer wie wieviel wo wurde
    wurden zeige zum zur zwischen
    meisten wenigsten unser unsere unserem unseren unserer hatte hatten habe wir uns mir ich bringt gibt
    al cada como cómo con cual cuál cuales cuáles cuando cuándo cuanta cuánta cuantas cuántas cuanto cuánto cuantos
    cuántos de del donde dónde el en entre es esta está este fue hay las los más media mejor muestra para por promedio
    que qué quien quién según sus tiene tienen una unos
    au aux avec ce ces chaque combien dans du elle est et la le les leur moyen moyenne ont où ou par pour quand quel
    quelle quelles quels qui selon sont sur un une
    alla che chi cosa dei della delle di dove è gli il lo nel ogni più quale quali quando quanta quante quanti quanto
    sono
    ao aos da das dos em foi mais maior média não onde os qual quais quantas quantos são uma
    aan bij elk elke gemiddelde het hoeveel hoe meest met naar tussen van voor waar wanneer wat welk welke zijn
    """
)
_LATIN = range(0x250)
"""The letters of English and of the languages that are written like it, and those with accents."""


def is_english(question: str) -> bool:
    """Whether a question is English, as far as its little words and letters tell."""
    words = [word.casefold() for word in WORD.findall(question) if word != "_"]
    letters = [ord(letter) for letter in question if letter.isalpha()]
    if sum(letter not in _LATIN for letter in letters) * 2 > len(letters):
        return False
    english = sum(word in FUNCTION_WORDS | STATISTICS | COMMON | GENERAL | ROWS | TIME_UNITS for word in words)
    little = sum(word in FUNCTION_WORDS for word in words)
    foreign = sum(word in _FOREIGN and word not in FUNCTION_WORDS | STATISTICS for word in words)
    if english:
        return foreign < 2 or foreign <= little
    # A few names are a question, too: "price region".
    return not foreign and len(words) < (4 if max(letters, default=0) < 128 else 3)


def bases(word: str) -> tuple[str, ...]:
    """What a word may be a form of, itself first: `hottest` of hot, `earned` of earn, `busiest` of busy."""
    low = word.casefold()
    found = [low, stem(low)]
    for ending in ("est", "er", "ed", "ing", "ly", "ness"):
        cut = low.removesuffix(ending)
        if cut == low or len(cut) < 3:
            continue
        found += [cut, f"{cut}e"]
        if cut.endswith("i"):
            found.append(f"{cut[:-1]}y")
        if cut[-1] == cut[-2]:
            found.append(cut[:-1])
    return tuple(dict.fromkeys(found))


def stem(word: str) -> str:
    """A word without its plural and its case: enough to compare nouns, no linguistics."""
    word = word.casefold().replace("’", "'")
    word = word.removesuffix("'s")
    if word in ("species", "series"):
        return word
    for suffix, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(suffix) and len(word) > len(suffix) + 1:
            return word[: -len(suffix)] + instead
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def alike(one: str, other: str) -> bool:
    """Whether two words may stand for the same thing."""
    if stem(one) == stem(other):
        return True
    a, b = one.casefold(), other.casefold()
    return any(a in group and b in group for group in SYNONYMS)
