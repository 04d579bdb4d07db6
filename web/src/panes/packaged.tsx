// A pane of another package: an ES module that draws into an element of the page.

import { type ComponentType, type ReactNode, useEffect, useRef, useState } from "react";
import { request } from "../api";
import { language } from "../app/language";
import { go, hashOf } from "../app/router";
import { useStore } from "../app/store";
import type { PaneProps } from "./props";

/** The argument `app` of a module's `mount`; docs/plugins.md describes it. */
export interface PaneApp {
  /** The parts of the address after the name of the pane, and its query. */
  rest: string[];
  query: URLSearchParams;
  language: string;
  /** Requests a route below /api/v1, such as `repairs`, as the user of the page. Throws an Error if it fails. */
  request(path: string, options?: RequestInit): Promise<Response>;
  /** Opens a pane: its name, then the parts of its address. */
  open(pane: string, ...rest: string[]): void;
}

interface PaneModule {
  mount(element: HTMLElement, app: PaneApp): void | Promise<void>;
  unmount(element: HTMLElement): void;
}

const isModule = (found: Partial<PaneModule>): found is PaneModule =>
  typeof found.mount === "function" && typeof found.unmount === "function";

/** Loads the module at an address relative to the app, as a component. Raises Error if it is not the module of a pane. */
export async function packaged(address: string): Promise<{ default: ComponentType<PaneProps> }> {
  const found = (await import(/* @vite-ignore */ new URL(address, document.baseURI).href)) as Partial<PaneModule>;
  if (!isModule(found)) throw new Error(`${address} does not export the functions mount and unmount.`);
  return { default: (props) => <Mounted module={found} {...props} /> };
}

/** It is mounted again when the address or the language changes. */
function Mounted({ module, rest, query }: PaneProps & { module: PaneModule }): ReactNode {
  const spokenLanguage = useStore(language);
  const element = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>(undefined);
  const place = JSON.stringify([rest, query.toString()]);
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const [parts, search] = JSON.parse(place) as [string[], string];
    let open = true;
    const mount = async () =>
      module.mount(target, {
        rest: parts,
        query: new URLSearchParams(search),
        language: spokenLanguage,
        request,
        open: (pane, ...more) => go(hashOf(pane, more)),
      });
    mount().catch((thrown: unknown) => open && setError(thrown ?? new Error("mount")));
    return () => {
      open = false;
      try {
        module.unmount(target);
      } catch (thrown) {
        console.warn(thrown);
      }
      target.replaceChildren();
    };
  }, [module, place, spokenLanguage]);
  if (error !== undefined) throw error;
  return <div className="packaged-pane" ref={element} />;
}
