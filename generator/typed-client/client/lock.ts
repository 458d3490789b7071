import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { compareHashes, hashTree, type Tree } from "../../internal/tree.ts";
import type { Contract } from "../contract/contract.ts";
import { readContract } from "../contract/read-contract.ts";
import { isRecord } from "../../internal/json-text.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";

/** Name of the lock file, inside the folder of a client. */
export const clientLockName = "mcp.client.lock.json";

/** Contents of `mcp.client.lock.json`: the contract the client was generated from, and the hashes of the generated files. */
export interface ClientLock {
  /** Version of this file's format. */
  readonly format: 1;
  /** Version of create-mcp-server that wrote the client. */
  readonly generator: string;
  /** Name of the server in the code. */
  readonly name: string;
  readonly contract: Contract;
  /** SHA-256 in lower-case hex of every file, by path relative to the lock file. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns the lock file of a client, as text. */
export function emitClientLock(
  tree: Tree,
  { contract, name, version }: { readonly contract: Contract; readonly name: string; readonly version: string },
): string {
  const lock: ClientLock = { format: 1, generator: version, name, contract, files: hashTree(tree) };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

/**
 * Reads the lock file in a client's folder. Returns `undefined` when there is none.
 *
 * @throws {UserError} when the file cannot be read or is not a lock file of this version.
 */
export async function readClientLock(folder: string): Promise<ClientLock | undefined> {
  const path = join(folder, clientLockName);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw new UserError(
      `${path} cannot be read: ${String(error)}; restore it, or remove it and generate the client again.`,
    );
  }
  if (!isRecord(value) || value.format !== 1 || !isRecord(value.contract) || !isRecord(value.files)) {
    throw new UserError(`${path} is not a lock file of this version; remove it and generate the client again.`);
  }
  const files = Object.entries(value.files).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    format: 1,
    generator: String(value.generator),
    name: String(value.name),
    contract: readContract(value.contract, path),
    files: Object.fromEntries(files),
  };
}

/** Returns the files edited by hand since they were written. Missing files do not count. */
export async function findEdited(folder: string, lock: ClientLock): Promise<string[]> {
  const drifts = await compareHashes(folder, lock.files);
  return drifts.filter(({ kind }) => kind === "changed").map(({ path }) => path);
}
