import { lstatSync, unlinkSync } from "node:fs";
import { connect } from "node:net";

/**
 * Removes the file of a local socket on which no program listens any more, as a crash leaves it. Returns `false` when a program listens, when the
 * file is no socket, or when another program has replaced it meanwhile.
 */
export async function removeStaleSocket(path: string): Promise<boolean> {
  const tried = identify(path);
  if (tried === undefined || (await findConnectError(path)) !== "ECONNREFUSED") return false;
  // In one step: no time for another program between the check and the removal.
  if (identify(path) !== tried) return false;
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns what identifies a socket; `undefined` for another file, or none. */
function identify(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isSocket() ? `${found.ino} ${found.ctimeNs}` : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error code of an attempt to connect; `undefined` when it succeeds. */
function findConnectError(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", (error) => resolve("code" in error ? String(error.code) : ""));
  });
}
