// The frame of a table: it scrolls, and its edge fades if there is more beyond it.

import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";

interface Props {
  label: string;
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
}

/** The edges of a frame beyond which there is more, from 1 px on. */
function hiddenIn({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): string {
  const before = Math.abs(scrollLeft);
  return [before > 1 && "start", scrollWidth - clientWidth - before > 1 && "end"].filter(Boolean).join(" ");
}

export function TableFrame({ label, children, ref }: Props): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => frame.current!);
  useEffect(() => {
    const element = frame.current!;
    const look = () => void (element.dataset.more = hiddenIn(element));
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    if (element.firstElementChild) sizes.observe(element.firstElementChild);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return (
    <div ref={frame} className="table-frame" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
