import { jsonText } from "../../internal/json-text.ts";
import { packageVersion } from "../../internal/package-info.ts";
import { hashTree, type Tree } from "../../internal/tree.ts";
import type { LayerChoices } from "./choices.ts";

/** Name of the lock file, inside the emitted folder. */
export const lockName = "mcp.lock.json";

/**
 * Text of `src/mcp/mcp.lock.json`, the record of an emitted layer: the version of create-mcp-server, the choices, and the SHA-256 in lower-case hex of
 * every file, by path relative to the lock file.
 */
export function lockText(layer: Tree, choices: LayerChoices): string {
  const { revisions, spec, features, transports, client, validator, re2js, auth, scale, imports } = choices;
  const checks = { validator, ...(re2js && { re2js }) };
  const chosen = { revisions, spec, features, transports, client, ...checks, auth, scale, imports };
  return `${jsonText({ format: 2, generator: packageVersion(), ...chosen, files: hashTree(layer) })}\n`;
}
