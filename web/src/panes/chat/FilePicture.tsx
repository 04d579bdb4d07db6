// A picture that an agent made.

import { type ReactNode, useEffect, useState } from "react";
import { request } from "../../api";
import { Skeleton } from "../../ui";

export const isPicture = (name: string): boolean => /\.(png|jpe?g|gif|webp)$/i.test(name);

/** A picture, fetched with the user's key. */
export function FilePicture({ address, name }: { address: string; name: string }): ReactNode {
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
  if (error) return <p className="bad-text">{name}</p>;
  return source ? <img src={source} alt={name} /> : <Skeleton lines={5} />;
}
