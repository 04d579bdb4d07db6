// The components of the panes, each loaded when its pane is first opened.

import type { ComponentType } from "react";
import type { PaneName, PaneProps } from "../panes";

export const load: Record<PaneName, () => Promise<{ default: ComponentType<PaneProps> }>> = {
  chat: () => import("../panes/chat"),
  trace: () => import("../panes/trace"),
  graph: () => import("../panes/graph"),
  data: () => import("../panes/data"),
  experiments: () => import("../panes/experiments"),
  logs: () => import("../panes/logs"),
  access: () => import("../panes/access"),
};
