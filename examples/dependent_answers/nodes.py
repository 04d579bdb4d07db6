"""The services of a country, and the price. Both are computed again when an answer that they read changes."""

from __future__ import annotations

from typing import Any

from graphwright import ActionContext, action

SERVICES = {"Norway": ["standard", "express", "ferry"], "Spain": ["standard", "express"]}
PRICES = {"standard": 4.5, "express": 9.0, "ferry": 3.0}


@action(reads=["answers.country"], writes=["services"], effects=False)
def offer_services(state: dict[str, Any], ctx: ActionContext) -> dict[str, Any]:
    """List the services of the country."""
    return {"services": SERVICES[state["answers"]["country"]]}


@action(reads=["answers.service", "answers.kilos"], writes=["price"], effects=False)
def compute_price(state: dict[str, Any], ctx: ActionContext) -> dict[str, Any]:
    """Compute the price in euros."""
    answers = state["answers"]
    return {"price": PRICES[answers["service"]] * answers["kilos"]}
