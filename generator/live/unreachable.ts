import { HttpError } from "../../runtime/transport/http-client/errors.ts";
import { explainCause, systemCode } from "../internal/user-error.ts";
import type { ServerAddress } from "./server-address.ts";
import { explainUnknownRevision } from "./unknown-revision.ts";
import { adviseVariable } from "./variables.ts";

/** Explains why a server cannot be reached, and proposes a next step if the reason does not imply one. */
export function explainUnreachable(place: ServerAddress, cause: unknown): string {
  if (isMissingProgram(cause) && place.kind === "command")
    return `the command ${place.command} does not exist; check its name.`;
  const status = readStatus(cause);
  if (status === 401 || status === 403)
    return `it requires credentials (HTTP ${status}); send them with --header-env Name=VARIABLE.`;
  const unknown = explainUnknownRevision(cause);
  if (unknown !== undefined) return `${unknown}.`;
  const isSilent = cause instanceof Error && cause.name === "TimeoutError";
  const why = isSilent ? "it does not respond" : explainCause(cause).replace(/\.$/, "");
  const isSaid = why.includes("; its last words: ") || (status !== undefined && status >= 500);
  const variable = place.kind === "command" ? adviseVariable(why, { given: place.env ?? {} }) : "";
  const next = variable === "" && !isSaid ? advice[place.kind] : variable;
  return `${why}. ${next}`.trimEnd();
}

const advice = {
  command: "Run the command directly to see its output.",
  url: "Check the address, and that the server is running.",
  websocket: "Check the address, and that the server is running.",
  tcp: "Check the address, and that the server is running.",
} as const;

function isMissingProgram(error: unknown): boolean {
  return error instanceof Error && systemCode(error.cause) === "ENOENT";
}

function readStatus(error: unknown): number | undefined {
  if (error instanceof HttpError) return error.status;
  return error instanceof Error ? readStatus(error.cause) : undefined;
}
