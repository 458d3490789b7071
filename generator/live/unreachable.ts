import { HttpError } from "../../runtime/transport/http-client/errors.ts";
import { explainCause, systemCode } from "../user-error.ts";
import type { Place } from "./place.ts";

/** Why a server of one's own cannot be spoken to, and what to do next where that does not say it. */
export function explainUnreachable(place: Place, cause: unknown): string {
  if (isMissingProgram(cause) && place.kind === "command")
    return `there is no command ${place.command}. Check its name.`;
  const status = readStatus(cause);
  if (status === 401 || status === 403)
    return `it lets in only who says who they are (HTTP ${status}), and this command does not. Ask it where it lets everybody in.`;
  const isSilent = cause instanceof Error && cause.name === "TimeoutError";
  const why = isSilent ? "it does not answer" : explainCause(cause).replace(/\.$/, "");
  const isSaid = why.includes("; its last words: ") || (status !== undefined && status >= 500);
  return isSaid ? `${why}.` : `${why}. ${advice[place.kind]}`;
}

const advice = {
  command: "Start it by itself to see why.",
  url: "Check the address, and that it runs there.",
} as const;

function isMissingProgram(error: unknown): boolean {
  return error instanceof Error && systemCode(error.cause) === "ENOENT";
}

function readStatus(error: unknown): number | undefined {
  if (error instanceof HttpError) return error.status;
  return error instanceof Error ? readStatus(error.cause) : undefined;
}
