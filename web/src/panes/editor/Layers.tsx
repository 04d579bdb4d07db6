// The layers of a draft that extends other documents: who set what, what is in conflict, and the lower documents.

import "./layers.css";
import { Check, Layers as LayersIcon, Undo2 } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import type { FlowEdge, FlowNode } from "../../flow-canvas/flow";
import { ICONS, kindOf } from "../../flow-canvas/nodes";
import { titleOf } from "../../flow-canvas/titles";
import { Badge, Button, Dialog, Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import type { DraftLayers, LayerConflict, LayerSetting } from "./api";
import { readOnlyView, revealLine } from "./codemirror";
import {
  type Setting,
  SELF,
  decide,
  documentPart,
  isRemoval,
  override,
  partName,
  pointerOf,
  withdraw,
} from "./model/layers";
import { useFieldName } from "./fieldWords";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const shownValue = (value: Json): string => visible(typeof value === "string" ? value : JSON.stringify(value));

/** Opens the place of a value: the line in the text of the draft, or a lower document. */
function usePlaces(layers: DraftLayers | null): { go(place: Setting): void; dialog: ReactNode } {
  const session = useSession();
  const [open, setOpen] = useState<Setting | null>(null);
  const text = open ? (layers?.layers.find((each) => each.file === open.file)?.text ?? "") : "";
  return {
    go: (place) => (place.file === SELF ? revealLine(session.view, place.line) : setOpen(place)),
    dialog: open && (
      <Dialog title={visible(open.file)} onClose={() => setOpen(null)} className="editor-compare">
        <LayerText text={text} line={open.line} />
      </Dialog>
    ),
  };
}

function LayerText({ text, line }: { text: string; line: number }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = readOnlyView(text, place.current);
    revealLine(view, line);
    return () => view.destroy();
  }, [text, line]);
  return <div ref={place} className="editor-merge" />;
}

function Place({ place, go }: { place: Setting; go(place: Setting): void }): ReactNode {
  return (
    <button type="button" className="layer-place" onClick={() => go(place)} title={visible(place.file)}>
      {visible(place.file === SELF ? place.layer : place.file)}:{place.line}
    </button>
  );
}

const settingText = (each: LayerSetting, removed: string): string =>
  isRemoval(each.value) ? removed : shownValue(each.value as Json);

/** Fields by which a part is known: another value makes another part. */
const NAMES = ["id", "from", "type"];

/** The layers, and what they set differently. */
export function Layers(): ReactNode {
  const session = useSession();
  const { layers, shown, current } = useSessionState();
  const say = useText(words);
  const { go, dialog } = usePlaces(layers);
  if (!layers || layers.layers.length === 0) return <p className="muted">{say.layersUnread}</p>;
  const find = (conflict: LayerConflict) =>
    [...(shown ? [documentPart(shown), ...shown.nodes.values(), ...shown.edges.values()] : [])].find(
      (each) => partName(each) === conflict.part,
    );
  const mayDecide = session.mayEdit && current;
  return (
    <div className="layers">
      <p className="muted">{say.layersWhat}</p>
      <ol aria-label={say.layers} reversed>
        {[...layers.layers].reverse().map((each) => (
          <li key={each.file}>
            <button
              type="button"
              onClick={() => go({ layer: each.name, file: each.file, line: 1, column: 1 })}
              disabled={each.file === SELF}
            >
              <LayersIcon size={14} aria-hidden />
              <span className="editor-grow cut">
                {visible(each.name)} <small className="faint">{visible(each.file)}</small>
              </span>
              {each.file === SELF && <Badge tone="accent">{say.draft}</Badge>}
            </button>
          </li>
        ))}
      </ol>
      <h3>{say.conflicts(layers.conflicts.length)}</h3>
      <ul className="layer-conflicts">
        {layers.conflicts.map((each, index) => {
          const part = find(each);
          return (
            <li key={index} className={each.error ? "layer-error" : undefined}>
              <div className="editor-row">
                <PartName conflict={each} part={part} />
                {part && part.path.length > 0 && (
                  <Button
                    look="quiet"
                    onClick={() =>
                      session.select(
                        "type" in part ? { kind: "nodes", ids: [part.id] } : { kind: "edge", key: part.key },
                      )
                    }
                  >
                    {say.show}
                  </Button>
                )}
              </div>
              <p className="faint">
                {each.error ? visible(each.why) : each.winner ? say.wins(visible(each.winner)) : say.joined}
              </p>
              <Settings
                settings={each.settings}
                winner={each.error ? null : each.winner}
                go={go}
                onTake={
                  part && mayDecide && each.field !== "" && !NAMES.includes(each.field)
                    ? (chosen) => {
                        try {
                          session.apply((text) => decide(text, part, each, chosen));
                        } catch (error) {
                          failed(error);
                        }
                      }
                    : null
                }
              />
            </li>
          );
        })}
      </ul>
      {dialog}
    </div>
  );
}

/** The node or edge of a conflict, and the field, in words. */
function PartName({ conflict, part }: { conflict: LayerConflict; part: FlowNode | FlowEdge | undefined }): ReactNode {
  const say = useText(words);
  const { label } = useFieldName(conflict.field);
  const { shown } = useSessionState();
  const nodeName = (id: string) => {
    const node = shown?.nodes.get(id);
    return node ? titleOf(node) : id;
  };
  const kind = part && "type" in part ? kindOf(part.type) : null;
  const Icon = kind ? ICONS[kind] : null;
  const name =
    part === undefined
      ? conflict.part
      : part.path.length === 0
        ? say.document
        : "type" in part
          ? titleOf(part)
          : say.edge(nodeName(part.from), nodeName(part.to));
  return (
    <span className={`layer-part editor-grow flow-${kind ?? "edge"}`} title={visible(conflict.part)}>
      {Icon && <Icon size={15} aria-hidden />}
      <strong>{visible(name)}</strong>
      {label && <span className="muted">{visible(label)}</span>}
    </span>
  );
}

interface SettingsProps {
  settings: readonly LayerSetting[];
  /** The layer whose value holds: the others are struck. */
  winner?: string | null;
  go(place: Setting): void;
  /** Decides for one of the values. */
  onTake?: ((chosen: LayerSetting) => void) | null;
}

function Settings({ settings, winner, go, onTake }: SettingsProps): ReactNode {
  const say = useText(words);
  return (
    <ul>
      {settings.map((each, index) => (
        <li key={index} className="layer-setting">
          <Place place={each} go={go} />
          {winner && each.layer !== winner ? (
            <del className="faint">{settingText(each, say.removedHere)}</del>
          ) : (
            <span>{settingText(each, say.removedHere)}</span>
          )}
          {winner && each.layer === winner ? (
            <span className="layer-holds editor-good" role="img" aria-label={say.holds} title={say.holds}>
              <Check size={14} aria-hidden />
            </span>
          ) : (
            onTake && (
              <Button
                look="quiet"
                aria-label={`${winner ? say.takeThis : say.takeOnly}: ${settingText(each, say.removedHere)}`}
                onClick={() => onTake(each)}
              >
                {winner ? say.takeThis : say.takeOnly}
              </Button>
            )
          )}
        </li>
      ))}
    </ul>
  );
}

/** Below a field: the layer that set it, what it overrides, and the ways to change that. Nothing without layers. */
export function Origin({ of, name }: { of: FlowNode | FlowEdge; name: string }): ReactNode {
  const session = useSession();
  const { layers, current } = useSessionState();
  const say = useText(words);
  const { go, dialog } = usePlaces(layers);
  const conflict = useMemo(() => {
    const part = partName(of);
    return layers?.conflicts.find((each) => each.part === part && each.field === name);
  }, [layers, of, name]);
  const place = layers?.origins[pointerOf([...of.path, name])];
  if (!layers || (!place && !conflict)) return null;
  const off = !current || !session.mayEdit;
  const isOwn = place?.file === SELF || conflict?.settings.some((each) => each.file === SELF);
  return (
    <div className="layer-origin">
      {place && <Place place={place} go={go} />}
      {!isOwn && (
        <Button
          look="quiet"
          disabled={off}
          onClick={() => session.apply((text) => override(text, of, name, of.data[name], true))}
        >
          {say.overrideHere}
        </Button>
      )}
      {isOwn && conflict && (
        <Button
          look="quiet"
          icon={Undo2}
          disabled={off}
          onClick={() => session.apply((text) => withdraw(text, of, name))}
        >
          {say.removeOverride}
        </Button>
      )}
      {conflict && (
        <Disclosure summary={conflict.winner ? say.wins(visible(conflict.winner)) : say.joined} open={conflict.error}>
          {() => <Settings settings={conflict.settings} go={go} />}
        </Disclosure>
      )}
      {dialog}
    </div>
  );
}
