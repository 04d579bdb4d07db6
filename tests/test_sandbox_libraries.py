"""What the libraries can do in the sandbox, in each isolation: clusters, forests, models, whatever asks for threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sandbox_support import each_isolation, needs_sandbox, opened

from graphwright.sandbox import ExecutionLimits, Sandbox
from graphwright.sandbox.formatting import result_text

pytestmark = [needs_sandbox, pytest.mark.slow]


@pytest.fixture(scope="module", params=each_isolation())
def sandbox(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    limits = ExecutionLimits(cpu_seconds=30, wall_seconds=120)
    with opened(request.param, tmp_path_factory.mktemp("home"), limits) as made:
        yield made


DATA = """
x = np.random.default_rng(1).normal(size=(90, 3))
x[:30] += 9
x[30:60] -= 9
kind = np.repeat([0, 1, 2], 30)
"""
"""Three heaps, far apart, and which of them each point is of."""

PROGRAMS = {
    "k-means": (
        "from sklearn.cluster import KMeans\n"
        "sorted(np.bincount(KMeans(3, n_init=3, random_state=0).fit(x).labels_).tolist())",
        "[30, 30, 30]",
    ),
    "k-means in batches": (
        "sorted(np.bincount(sklearn.cluster.MiniBatchKMeans(3, n_init=3, random_state=0).fit_predict(x)).tolist())",
        "[30, 30, 30]",
    ),
    "a mixture": (
        "from sklearn.mixture import GaussianMixture\n"
        "sorted(np.bincount(GaussianMixture(3, random_state=0).fit_predict(x)).tolist())",
        "[30, 30, 30]",
    ),
    "clusters by distance": (
        "from sklearn.cluster import HDBSCAN, AgglomerativeClustering\n"
        "models = HDBSCAN(min_cluster_size=9, copy=True), AgglomerativeClustering(3)\n"
        "[len(set(model.fit_predict(x)) - {-1}) for model in models]",
        "[3, 3]",
    ),
    "neighbours by force": (
        "from sklearn.neighbors import NearestNeighbors\n"
        "found = NearestNeighbors(n_neighbors=3, algorithm='brute', n_jobs=2).fit(x).kneighbors(x[[0, 40, 80]])[1]\n"
        "kind[found].tolist()",
        "[[0, 0, 0], [1, 1, 1], [2, 2, 2]]",
    ),
    "components": (
        "from sklearn.decomposition import PCA\nbool(PCA(2).fit(x).explained_variance_ratio_[0] > 0.9)",
        "True",
    ),
    "a forest on all cores": (
        "from sklearn.ensemble import RandomForestClassifier\n"
        "float(RandomForestClassifier(20, n_jobs=-1, random_state=0).fit(x, kind).score(x, kind))",
        "1",
    ),
    "a forest on two cores": (
        "from sklearn.ensemble import RandomForestRegressor\n"
        "bool(RandomForestRegressor(20, n_jobs=2, random_state=0).fit(x, kind).score(x, kind) > 0.9)",
        "True",
    ),
    "a search on two cores": (
        "from sklearn.model_selection import GridSearchCV\nfrom sklearn.tree import DecisionTreeClassifier\n"
        "search = GridSearchCV(DecisionTreeClassifier(random_state=0), {'max_depth': [1, 3]}, n_jobs=2, cv=3)\n"
        "search.fit(x, kind).best_params_['max_depth']",
        "3",
    ),
    "jobs": (
        "from joblib import Parallel, delayed\nParallel(n_jobs=2)(delayed(abs)(n) for n in (-1, -2))",
        "[1, 2]",
    ),
    "limits of threads": (
        "import threadpoolctl\nwith threadpoolctl.threadpool_limits(1):\n    result = float((x @ x.T).shape[0])\n"
        "assert {each['num_threads'] for each in threadpoolctl.threadpool_info()} == {1}",
        "90",
    ),
    "minima": (
        "from scipy import optimize\n"
        "line = optimize.curve_fit(lambda t, a: a * t, [1, 2, 3], [2, 4, 6])[0][0]\n"
        "foot = optimize.minimize(lambda v: ((v - 3) ** 2).sum(), [0.0]).x[0]\n"
        "cheapest = optimize.linprog([1, 1], A_ub=[[-1, -1]], b_ub=[-2]).fun\n"
        "deepest = optimize.differential_evolution(lambda v: (v**2).sum(), [(-1, 2)], rng=0).x[0]\n"
        "[round(float(each), 3) + 0 for each in (line, foot, cheapest, deepest)]",
        "[2, 3, 2, 0]",
    ),
    "a series": (
        "from statsmodels.tsa.arima.model import ARIMA\n"
        "steps = np.random.default_rng(0).normal(size=80)\n"
        "forecast = ARIMA(100 + np.cumsum(steps), order=(1, 1, 1)).fit().forecast(3)\n"
        "bool(np.all(np.abs(forecast - 100) < 30))",
        "True",
    ),
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_the_libraries_compute_in_there(sandbox: Sandbox, what: str) -> None:
    code, expected = PROGRAMS[what]
    execution = sandbox.run(DATA + code)
    assert execution.status == "ok", execution.error
    assert result_text(execution.result) == expected
    assert execution.stdout == ""


def test_which_libraries_are_loaded_stays_unreadable(sandbox: Sandbox) -> None:
    code = "import sklearn.cluster\nsklearn.cluster.KMeans(2).fit(np.eye(4))\nopen('/proc/self/maps').read()"
    execution = sandbox.run(code)
    assert execution.error is not None
    assert execution.error.type == "PermissionError"


def test_other_processes_are_refused_with_what_to_leave_out(sandbox: Sandbox) -> None:
    code = (
        "from scipy import optimize\n"
        "optimize.differential_evolution(lambda v: (v**2).sum(), [(-1, 2)], workers=2, updating='deferred')"
    )
    for refused in (code, "import multiprocessing\nmultiprocessing.Pool(2)"):
        execution = sandbox.run(refused)
        assert execution.error is not None
        assert "one process" in execution.error.hint
        assert "workers" in execution.error.hint
