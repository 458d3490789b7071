import { hashTree, type Tree } from "../../internal/tree.ts";
import type { LayerChoices } from "./choices.ts";
import { jsonText } from "../../internal/json-text.ts";

/** Name of the lock file, inside the emitted folder. */
export const lockName = "mcp.lock.json";

/** Content of `src/mcp/mcp.lock.json`, the record of an emitted layer. */
export interface Lock {
  /** Version of this file's format. */
  readonly format: 2;
  /** Version of create-mcp-server that emitted the layer. */
  readonly generator: string;
  /** Revisions of the layer, newest first. */
  readonly revisions: readonly string[];
  /** Features of the layer; the members below are its other choices. */
  readonly features: LayerChoices["features"];
  readonly transports: LayerChoices["transports"];
  readonly client: boolean;
  readonly validator: boolean;
  readonly re2js?: boolean;
  readonly auth: LayerChoices["auth"];
  readonly scale?: LayerChoices["scale"];
  readonly spec?: string;
  /** SHA-256 in lower-case hex of every emitted file, by path relative to the lock file. */
  readonly files: { readonly [path: string]: string };
}

/** Creates the lock of a layer. */
export function createLock(
  layer: Tree,
  { generator, choices }: { readonly generator: string; readonly choices: LayerChoices },
): Lock {
  const { revisions, features, transports, client, validator, re2js, auth, scale, spec } = choices;
  const origin = spec === undefined ? {} : { spec };
  const checks = { validator, ...(re2js && { re2js }) };
  return {
    format: 2,
    generator,
    revisions,
    ...origin,
    features,
    transports,
    client,
    ...checks,
    auth,
    ...(scale !== undefined && { scale }),
    files: hashTree(layer),
  };
}

/** Text of a lock file. */
export function lockText(lock: Lock): string {
  return `${jsonText(lock)}\n`;
}
