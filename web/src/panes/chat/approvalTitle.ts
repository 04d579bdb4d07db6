// The names of approvals, for its card and for what is read out. They are apart from the card, which loads when it is shown.

import type { Approval } from "../../api";
import type { words } from "./words";

/** The name of the content of an approval. */
export const nameOf = ({ kind }: Approval, say: (typeof words)["en"]): string =>
  ({
    graph: say.approvalGraph,
    experiment: say.approvalExperiment,
    tools: say.approvalTools,
    other: say.approvalOther,
  })[kind];

/** The name of the card; a yes to the question of a flow is a question like others. */
export const titleOf = (approval: Approval, say: (typeof words)["en"]): string =>
  approval.plain ? say.question : `${say.approvalRegion}: ${nameOf(approval, say)}`;
