"""A model that proposes the right thing, with independent test data: nothing is altered, and nothing is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.conversing import Plain, converse
from eval.judging import judged
from graphwright.models._scripted import ScriptedModel
from proposals_support import Proposal, begun, proposals


@pytest.mark.parametrize("proposal", proposals("perfect"), ids=str)
async def test_correct_proposals_are_done_unchanged_after_a_yes(proposal: Proposal, tmp_path: Path) -> None:
    model = ScriptedModel.from_rules(proposal.rules)
    async with begun(proposal, tmp_path) as (world, wanted):
        played = await converse(proposal.case, proposal.cases.agent, world, wanted, model, Plain())
    verdict = judged(proposal.case, wanted, played)
    told = "\n".join(played.log)
    assert not verdict.reasons, (verdict.reasons, told)
    assert not played.questions, told
    assert not verdict.shown, told
    assert [each["said"] for each in played.done] == ["yes"] * (wanted.begin not in wanted.ends), told
