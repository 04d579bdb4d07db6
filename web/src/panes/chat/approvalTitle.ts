// The name of an approval, for its card and for what is read out. It is apart from the card, which loads when it is shown.

import type { Approval } from "../../api";
import type { words } from "./words";

export const titleOf = (kind: Approval["kind"], say: (typeof words)["en"]): string =>
  ({
    graph: say.approvalGraph,
    experiment: say.approvalExperiment,
    tools: say.approvalTools,
    other: say.approvalOther,
  })[kind];
