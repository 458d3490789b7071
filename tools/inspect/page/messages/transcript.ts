import type { TimelineEntry } from "../../page-messages.ts";
import { findPartner } from "./traffic.ts";
import { isObject, memberOf, parseJson } from "../values/values.ts";

/**
 * Returns a test that repeats a request against the server of a project, and expects the same responses. It contains the beginning of the session,
 * the request, and everything until its response. The result is `undefined` for messages on the side of the server: they cannot be repeated.
 */
export function toTranscriptTest(entries: readonly TimelineEntry[], selected: TimelineEntry): string | undefined {
  const request = selected.kind === "request" ? selected : findPartner(entries, selected);
  if (request?.side !== "client" || request.direction !== "to-server" || request.kind !== "request") return undefined;
  const response = findPartner(entries, request);
  const lines = [...readOpening(entries, request), ...readExchange(entries, { request, response })];
  if (lines.length === 0) return undefined;
  const title = [request.method, request.subject, request.protocol && `at ${request.protocol}`]
    .filter(Boolean)
    .join(" ");
  return [
    'import { runTranscript } from "mcp-server-runtime/testing";',
    'import { test } from "vitest";',
    "// The result of defineServer, exported by a module that does not run it.",
    'import { server } from "../src/definition.ts";',
    "",
    "// `>` is sent to the server. `<` is expected exactly; `~` is expected with at least these members.",
    `test(${JSON.stringify(title)}, async () => {`,
    "  await runTranscript(server, [",
    ...lines.map(({ mark, body }) => `    [${JSON.stringify(mark)}, ${JSON.stringify(body)}],`),
    "  ]);",
    "});",
    "",
  ].join("\n");
}

interface Line {
  readonly mark: ">" | "<" | "~";
  readonly body: unknown;
}

/** Returns the handshake of the session, if it has one, and the level of its log messages. Of the result, only the revision is expected. */
function readOpening(entries: readonly TimelineEntry[], request: TimelineEntry): readonly Line[] {
  const own = entries.filter(
    ({ connection, sequence }) => connection === request.connection && sequence < request.sequence,
  );
  const initialize = own.find(({ method, kind }) => method === "initialize" && kind === "request");
  if (!initialize) return [];
  const result = findPartner(own, initialize);
  const initialized = own.find(({ method }) => method === "notifications/initialized");
  return [
    { mark: ">", body: readBody(initialize) },
    ...(result ? [{ mark: "~" as const, body: readAgreement(result) }] : []),
    ...(initialized ? [{ mark: ">" as const, body: readBody(initialized) }] : []),
    ...readLogLevel(own),
  ];
}

/** Returns the last successful request for a level of log messages: without it, the server may log less or more. */
function readLogLevel(entries: readonly TimelineEntry[]): readonly Line[] {
  const result = entries.findLast(({ method, kind }) => method === "logging/setLevel" && kind === "result");
  const request = result && findPartner(entries, result);
  if (!request) return [];
  return [
    { mark: ">", body: readBody(request) },
    { mark: "<", body: readBody(result) },
  ];
}

function readAgreement(result: TimelineEntry): unknown {
  const body = readBody(result);
  return { id: result.id, result: { protocolVersion: memberOf(body, "result", "protocolVersion") } };
}

interface Exchange {
  readonly request: TimelineEntry;
  readonly response: TimelineEntry | undefined;
}

/** Returns the messages of a request: itself, its response, and what the server sends and receives in between for it. */
function readExchange(entries: readonly TimelineEntry[], { request, response }: Exchange): readonly Line[] {
  const last = response?.sequence ?? request.sequence;
  const between = entries.filter(
    ({ connection, sequence }) => connection === request.connection && sequence >= request.sequence && sequence <= last,
  );
  const others = new Set(between.filter((entry) => isOtherRequest(entry, request)).map(({ sequence }) => sequence));
  return between
    .filter(({ sequence, request: of }) => !others.has(sequence) && (of === undefined || !others.has(of)))
    .map((entry) => ({ mark: entry.direction === "to-server" ? ">" : "<", body: readBody(entry) }));
}

/** True for another request of the client, which has nothing to do with this one. */
function isOtherRequest(entry: TimelineEntry, request: TimelineEntry): boolean {
  return entry.kind === "request" && entry.direction === "to-server" && entry.sequence !== request.sequence;
}

/** Returns a message without its `jsonrpc` member, which `runTranscript` adds. */
function readBody({ json }: TimelineEntry): unknown {
  const parsed = parseJson(json);
  if (!("value" in parsed)) return json;
  if (!isObject(parsed.value)) return parsed.value;
  const { jsonrpc: _jsonrpc, ...body } = parsed.value;
  return body;
}
