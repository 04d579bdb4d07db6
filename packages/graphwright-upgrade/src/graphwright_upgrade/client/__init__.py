"""An async client for UpGrade servers: the calls, their results, and how to sign in."""

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    GoalDraft,
    ListDraft,
)
from graphwright_upgrade.client._experiment import Assignment, Enrollment, Experiment, ExperimentPage, State, User
from graphwright_upgrade.client._failures import (
    BadAnswer,
    BadSettings,
    Invalid,
    LocalServiceFailed,
    NotConfirmed,
    NotFound,
    Redirected,
    ServerFailed,
    TimedOut,
    Unauthorized,
    Unreachable,
    UpgradeError,
)
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.client._simulating import Simulation, simulate

__all__ = [
    "Assignment",
    "BadAnswer",
    "BadSettings",
    "ConditionDraft",
    "connect",
    "DecisionPointDraft",
    "Enrollment",
    "Experiment",
    "ExperimentChanges",
    "ExperimentDraft",
    "ExperimentPage",
    "GoalDraft",
    "Invalid",
    "ListDraft",
    "LocalServiceFailed",
    "NotConfirmed",
    "NotFound",
    "Redirected",
    "ServerFailed",
    "simulate",
    "Simulation",
    "State",
    "TimedOut",
    "Unauthorized",
    "Unreachable",
    "UpgradeClient",
    "UpgradeError",
    "UpgradeSettings",
    "User",
]
