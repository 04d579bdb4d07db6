"""The checks of a draft, and of the flow compiled from it: one module for each concept."""

from __future__ import annotations

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._draft import Draft
from graphwright.flow._expressions import Expressions
from graphwright.flow._source import Reporter
from graphwright.flow.checks._actions import check_actions, check_constant_guards, check_state
from graphwright.flow.checks._answers import (
    check_answers,
    check_constraints,
    check_entered_paths,
    check_paths,
    check_unread,
)
from graphwright.flow.checks._assurances import check_assurances
from graphwright.flow.checks._confirmations import check_confirmations
from graphwright.flow.checks._connectivity import check_ends, check_reach
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.checks._corrections import check_corrections
from graphwright.flow.checks._cycles import check_cycles
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._endless_turns import (
    check_endless_questions,
    check_endless_repeats,
    check_endless_turns,
)
from graphwright.flow.checks._excluded_questions import check_excluded_questions
from graphwright.flow.checks._exhaustiveness import check_exhaustiveness, check_tautologies
from graphwright.flow.checks._item_values import check_item_values
from graphwright.flow.checks._lost_values import check_lost_values
from graphwright.flow.checks._map import check_maps
from graphwright.flow.checks._no_effect import check_fields_have_effect
from graphwright.flow.checks._ready_made import check_ready_made
from graphwright.flow.checks._references import check_edges, check_references, check_subgraphs
from graphwright.flow.checks._repeated_questions import check_repeated_questions, check_returns
from graphwright.flow.checks._rounds import check_rounds
from graphwright.flow.checks._shown_values import check_shown_values
from graphwright.flow.checks._text_comparisons import check_text_comparisons
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.checks._unmet_constraints import check_constraints_can_be_met
from graphwright.flow.checks._unused_channels import check_unused_channels
from graphwright.flow.checks._use_before_assignment import (
    check_kept_channels,
    check_unwritten_channels,
    check_use_before_assignment,
)
from graphwright.flow.checks._ways_out import check_chosen_path, check_picks_end
from graphwright.flow.compiled import Catalogue, CompiledFlow


def check_draft(
    draft: Draft, scopes: Scopes, expressions: Expressions, catalogue: Catalogue | None, out: Reporter
) -> ControlFlow:
    """Run all checks and report their findings to `out`. Returns the control-flow graph for the checks of values.

    In a graph with broken references, reachability is unknown and not checked.
    """
    broken = check_references(draft, out)
    check_edges(draft, out)
    control = ControlFlow(draft)
    check_reach(control, scopes, expressions, broken, out)
    check_cycles(control, out)
    check_ends(control, broken, out)
    check_answers(control, scopes, out)
    check_state(draft, catalogue, out)
    check_actions(draft, scopes, catalogue, out)
    check_ready_made(draft, catalogue, out)
    check_maps(draft, scopes, catalogue, out)
    check_subgraphs(draft, out)
    check_constraints(draft, scopes, out)
    check_paths(draft, scopes, expressions, out)
    check_assurances(draft, scopes, out)
    if not out.has_errors:
        check_unread(draft, expressions, catalogue, out)
    return control


def check_flow(
    flow: CompiledFlow, control: ControlFlow, scopes: Scopes, catalogue: Catalogue | None, out: Reporter
) -> None:
    """Run the checks that examine values. They need a flow without errors, and report warnings only."""
    context = FlowContext(flow, control, scopes, catalogue)
    assigned = Assignment(context)
    check_exhaustiveness(context, assigned, out)
    check_excluded_questions(context, assigned, out)
    check_picks_end(context, out)
    check_chosen_path(context, assigned, out)
    check_tautologies(context, out)
    unset = check_use_before_assignment(context, assigned, out)
    check_endless_turns(context, assigned, out)
    check_repeated_questions(context, assigned, out)
    check_rounds(context, assigned, out)
    check_endless_questions(context, assigned, out)
    check_endless_repeats(context, assigned, out)
    check_text_comparisons(context, out)
    check_confirmations(context, out)
    check_shown_values(context, out)
    check_constraints_can_be_met(context, assigned, out)
    check_kept_channels(context, assigned, unset, out)
    check_unwritten_channels(context, assigned, unset, out)
    check_unused_channels(context, out)
    check_fields_have_effect(context, out)
    check_lost_values(context, assigned, out)
    check_item_values(context, out)
    check_corrections(context, out)
    check_constant_guards(context, out)
    check_returns(context, assigned, out)
    check_entered_paths(context, assigned, out)
