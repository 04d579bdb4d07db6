// The files of an answer: figures and pictures directly, tables by their first rows, programs when opened.

import "./Artifacts.css";
import { Code2, Download, FileText, Table2 } from "lucide-react";
import { type ReactNode, Suspense, lazy, useEffect, useState } from "react";
import { type Artifact, api, download, request } from "../../api";
import { bytesText, useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { failed } from "../../app/toasts";
import { Disclosure, IconButton, Loaded, Skeleton, Table } from "../../ui";
import { plainCell } from "../../values";
import { Code } from "./Code";
import { csvRows } from "./csv";
import { words } from "./words";
import { visible } from "../../ui/visible";

const Figure = lazy(() => import("./Figure"));
const SHOWN_ROWS = 100;
const SHOWN_BYTES = 2_000_000;

const ending = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
const stem = (name: string): string => name.replace(/\.\w+$/, "");
const isImage = (artifact: Artifact): boolean => /^(png|jpe?g|gif|webp)$/.test(ending(artifact.name));

export function Artifacts(props: { thread: string; artifacts: Artifact[] }): ReactNode {
  const { thread } = props;
  const artifacts = props.artifacts.map((each) => ({ ...each, name: visible(each.name) }));
  // An interactive figure is shown instead of its picture.
  const figures = artifacts.filter((each) => ending(each.name) === "html");
  const images = artifacts.filter(
    (each) => isImage(each) && !figures.some((other) => stem(other.name) === stem(each.name)),
  );
  const rest = artifacts.filter((each) => !figures.includes(each) && !images.includes(each));
  return (
    <div className="artifacts">
      {figures.map((each) => (
        <Suspense key={each.id} fallback={<Skeleton lines={6} />}>
          <Figure address={api.artifactAddress(thread, each.id)} name={each.name}>
            <Caption name={each.name} address={api.artifactAddress(thread, each.id)} />
          </Figure>
        </Suspense>
      ))}
      {images.map((each) => (
        <Image key={each.id} address={api.artifactAddress(thread, each.id)} name={each.name} />
      ))}
      {rest.map((each) => (
        <File key={each.id} artifact={each} address={api.artifactAddress(thread, each.id)} />
      ))}
    </div>
  );
}

/** A picture, fetched with the user's key. */
function Image({ address, name }: { address: string; name: string }): ReactNode {
  const [source, setSource] = useState("");
  const [error, setError] = useState(false);
  useEffect(() => {
    let url = "";
    request(address)
      .then((response) => response.blob())
      .then(
        (blob) => setSource((url = URL.createObjectURL(blob))),
        () => setError(true),
      );
    return () => URL.revokeObjectURL(url);
  }, [address]);
  return (
    <figure className="picture">
      {error ? <p className="bad-text">{name}</p> : source ? <img src={source} alt={name} /> : <Skeleton lines={5} />}
      <Caption name={name} address={address} />
    </figure>
  );
}

function Caption({ name, address }: { name: string; address: string }): ReactNode {
  const say = useText(words);
  return (
    <figcaption>
      <span className="cut">{name}</span>
      <IconButton
        icon={Download}
        label={`${say.download}: ${name}`}
        onClick={() => void download(address, fileName(name)).catch(failed)}
      />
    </figcaption>
  );
}

const fileName = (name: string): string => name.split("/").at(-1) ?? name;

function File({ artifact, address }: { artifact: Artifact; address: string }): ReactNode {
  const say = useText(words);
  const type = ending(artifact.name);
  const shows = (artifact.bytes ?? 0) < SHOWN_BYTES && /^(csv|py|json|txt|md|yaml|sql)$/.test(type);
  const Icon = type === "csv" || type === "parquet" ? Table2 : type === "py" || type === "sql" ? Code2 : FileText;
  const keep = (
    <IconButton
      icon={Download}
      label={`${say.download}: ${artifact.name}`}
      onClick={() => void download(address, fileName(artifact.name)).catch(failed)}
    />
  );
  const line = (
    <span className="step">
      <Icon size={14} aria-hidden />
      <span className="step-name">{artifact.name}</span>
      <span className="step-note faint">{artifact.bytes ? bytesText(artifact.bytes) : ""}</span>
    </span>
  );
  return (
    <div className="file">
      {shows ? (
        <Disclosure className="card" summary={line} open={type === "csv"}>
          {() => <Content address={address} type={type} name={artifact.name} />}
        </Disclosure>
      ) : (
        <div className="card card-flat">{line}</div>
      )}
      {keep}
    </div>
  );
}

function Content({ address, type, name }: { address: string; type: string; name: string }): ReactNode {
  const say = useText(words);
  const text = useResource(`file?${address}`, async () => (await request(address)).text());
  return (
    <Loaded of={text}>
      {(content) => {
        if (type !== "csv") return <Code code={content} language={type === "py" ? "python" : type} />;
        const [columns = [], ...rows] = csvRows(content);
        return (
          <>
            <Table label={name} columns={columns} rows={rows.slice(0, SHOWN_ROWS).map((row) => row.map(plainCell))} />
            {rows.length > SHOWN_ROWS && <p className="faint">{say.rows(SHOWN_ROWS, rows.length)}</p>}
          </>
        );
      }}
    </Loaded>
  );
}
