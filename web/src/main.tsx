import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/ui.css";
import "./styles/lists.css";
import "./styles/shell.css";
import "./styles/print.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { placeOf } from "./app/router";
import { followTheme } from "./app/theme";
import { loadBuilt } from "./panes";

followTheme();
// At once, while the app asks who the user is; the pane reports an error when it is shown.
loadBuilt(placeOf(location.hash).pane || "chat").catch(() => undefined);
const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
