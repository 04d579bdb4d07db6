// How a conversation scrolls, and takes dropped files.

import { type DragEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useText } from "../../app/language";
import { told } from "../../app/toasts";
import { attach } from "./Composer";
import { words } from "./words";

const NEAR = 80; // px from the end: nearer users follow new content
const ABOVE = 12; // px above the last turn

/**
 * Stays at the end while the user is there, and does not scroll if the user has scrolled up. Content that
 * follows after the turn, such as figures, does not move the beginning of its answer out of the view.
 */
export function useFollowing(scroll: RefObject<HTMLDivElement | null>, what: unknown, isLive: boolean) {
  const [follows, setFollows] = useState(true);
  const wanted = useRef(true);
  const live = useRef(isLive);
  useEffect(() => {
    live.current = isLive;
  }, [isLive]);
  const stay = useRef(() => {
    const element = scroll.current;
    if (!element || !wanted.current) return;
    const end = element.scrollHeight - element.clientHeight;
    const last = [...element.querySelectorAll<HTMLElement>(".turn")].at(-1);
    const begins = last ? last.getBoundingClientRect().top - element.getBoundingClientRect().top - ABOVE : 0;
    const waits = element.querySelector(".waiting") !== null;
    if (live.current || waits || !last) element.scrollTop = end;
    else if (begins > 0) element.scrollTop = Math.min(end, element.scrollTop + begins);
  });
  useEffect(() => {
    const element = scroll.current;
    if (!element) return;
    let top = 0;
    const onScroll = () => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // New content below moves the end away; only scrolling up means that the user wants to stay.
      if (isNear || element.scrollTop < top) wanted.current = isNear;
      top = element.scrollTop;
      setFollows(isNear || (wanted.current && live.current));
    };
    const observer = new ResizeObserver(() => {
      stay.current();
      onScroll();
    });
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [scroll]);
  useEffect(() => stay.current(), [what]);
  const toEnd = () => {
    wanted.current = true;
    scroll.current?.scrollTo({ top: scroll.current.scrollHeight });
  };
  /** Leaves the end, because a place further up is shown. */
  const leave = useCallback(() => {
    wanted.current = false;
  }, []);
  return { follows, toEnd, leave };
}

/** Files dropped anywhere on the conversation are attached. */
export function useDrop(takesFiles: boolean) {
  const say = useText(words);
  const [over, setOver] = useState(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return {
    "data-drop": over ? say[takesFiles ? "drop" : "takesNone"] : undefined,
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => !event.currentTarget.contains(event.relatedTarget as Node) && setOver(false),
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (takesFiles) attach(event.dataTransfer.files);
      else told(say.takesNone);
    },
  };
}
