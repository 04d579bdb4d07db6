// The app: who the user is, the panes of the service, and the routes.

import { RouterProvider, createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { type Me, type PaneShown, Problem, api } from "../api";
import { PanesContext } from "../panes";
import { Failure, Skeleton } from "../ui";
import { MeContext } from "./access";
import { handleKey } from "./commands";
import { useResource } from "./resource";
import { followLinks, history } from "./router";
import { Mark, OpenPane, Shell } from "./Shell";
import { SignInPage } from "./SignIn";

const root = createRootRoute({ component: Shell });
// The service lists the panes, and each pane reads the parts after its name itself.
const routes = root.addChildren([createRoute({ getParentRoute: () => root, path: "$", component: OpenPane })]);
// An address that cannot be decoded is for the pane to refuse, too.
const router = createRouter({ routeTree: routes, history, defaultNotFoundComponent: OpenPane });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

export function App(): ReactNode {
  const me = useResource<Me>("me", api.me);
  const panes = useResource<{ items: PaneShown[] }>("panes", api.panes);
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  useEffect(followLinks, []);
  if (me.data && panes.data)
    return (
      <MeContext value={me.data}>
        <PanesContext value={panes.data.items}>
          <RouterProvider router={router} />
        </PanesContext>
      </MeContext>
    );
  const signedIn = (now: Me) => {
    me.put(now);
    void panes.reload();
  };
  if (me.error instanceof Problem && (me.error.status === 401 || me.error.code === "forbidden"))
    return <SignInPage refused={me.error} onDone={signedIn} />;
  const error = me.error ?? (me.data && panes.error);
  if (error !== undefined)
    return (
      <main className="whole-page">
        <Failure error={error} retry={() => (void me.reload(), void panes.reload())} />
      </main>
    );
  // The same frame as in index.html.
  return (
    <div className="shell">
      <div className="rail">
        <Mark />
      </div>
      <main className="pane-body">
        <Skeleton />
      </main>
    </div>
  );
}
