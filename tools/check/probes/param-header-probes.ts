import { isObject, type HeaderRule, type Revision } from "../../../generated/support.ts";
import type { CallOutcome } from "../conversation.ts";
import { HttpWire } from "../wires/http-wire.ts";
import { harmless } from "./message-probes.ts";
import type { Lists, Probe, ProbeContext, Observation } from "./probe.ts";

/** Probes of headers that repeat parts of a message. With them, intermediaries can route a message without parsing it. */
export const paramHeaderProbes: readonly Probe[] = [
  {
    rule: {
      id: "http-mirrored-headers",
      title: "Requests with missing or contradicting headers are rejected",
      severity: "error",
      help: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation",
    },
    applies: ({ conversation, revision }) =>
      conversation.wire instanceof HttpWire && revision.errors.headerMismatch?.emitted === true,
    run: async (context) => {
      const seen: Observation[] = [];
      for (const lie of liesOf(context)) seen.push(...(await tell(context, lie)));
      return seen;
    },
  },
];

/** A request with one header that deviates from the revision: a wrong value, or an empty one for a header left out. */
interface Lie {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly header: string;
  readonly value: string;
  /** Other valid error codes besides the one for the mismatch: no revision defines which fault is reported first. */
  readonly others: readonly number[];
}

function liesOf(context: ProbeContext): Lie[] {
  return context.revision.headers
    .filter(({ required }) => required)
    .flatMap((rule) =>
      requestsFor(rule, context).flatMap((request) => [
        { ...request, header: rule.name, value: "" },
        { ...request, header: rule.name, value: otherValue(rule, context.revision) },
      ]),
    );
}

type Harmless = Pick<Lie, "method" | "params" | "others">;

/** Requests with the header, which do no harm if the server accepts them. A tool is called only if it declares itself read-only. */
function requestsFor({ methods }: HeaderRule, { revision, lists, conversation }: ProbeContext): Harmless[] {
  if (!methods) return [{ method: harmless(revision), params: {}, others: [] }];
  const prompt = lists.prompts.find(({ arguments: all }) => !Array.isArray(all) || all.length === 0);
  const uri = lists.resources[0]?.uri;
  const invalid = revision.errors.invalidParams?.code ?? 0;
  const known: (Harmless | undefined)[] = [
    conversation.has("tools") ? { method: "tools/call", ...chooseTool(lists.tools, invalid) } : undefined,
    prompt && { method: "prompts/get", params: { name: prompt.name }, others: [] },
    uri === undefined ? undefined : { method: "resources/read", params: { uri }, others: [] },
  ];
  return known.filter((request) => request !== undefined).filter(({ method }) => methods.includes(method));
}

/**
 * Chooses a tool to call. A read-only tool without required arguments can only be rejected for the headers. With any other tool, a server may report
 * invalid arguments first.
 */
function chooseTool(tools: Lists["tools"], invalid: number): Omit<Harmless, "method"> {
  const harmlessOnes = tools.filter(({ annotations }) => isObject(annotations) && annotations.readOnlyHint === true);
  const free = harmlessOnes.find(
    ({ inputSchema }) =>
      !isObject(inputSchema) || !Array.isArray(inputSchema.required) || inputSchema.required.length === 0,
  );
  const { name } = free ?? harmlessOnes[0] ?? { name: stranger };
  return { params: { name, arguments: {} }, others: free ? [] : [invalid] };
}

const stranger = "doctor-no-such-tool";

/** Returns a header value different from the message. */
function otherValue({ source }: HeaderRule, { id, clientRequests }: Revision): string {
  // As long as a revision id, and older than the first revision.
  if (source === "revision") return id.replace(/\d/, "1");
  if (source === "method") return Object.keys(clientRequests).find((method) => method.endsWith("/list")) ?? "x";
  return "doctor-another";
}

async function tell(
  { conversation, revision }: ProbeContext,
  { method, params, header, value, others }: Lie,
): Promise<Observation[]> {
  const { code = 0, status } = revision.errors.headerMismatch ?? {};
  const response = await conversation.ask(method, params, { checks: false, headers: { [header]: value } });
  if (others.some((other) => response.kind === "error" && response.code === other)) return [];
  const isRight = response.kind === "error" && response.code === code && response.exchange.status === status;
  if (isRight) return [];
  const fix = `compare ${header} with the message and reject the request with HTTP ${status} and the error ${code}`;
  const what = value === "" ? `without ${header}` : `with ${header}: ${value}`;
  return [{ subject: `${method} ${what}`, message: describe(response), fix, ...gradeOf(response) }];
}

/** Grades a response. A rejection with another error is only a warning: it does no harm, but clients cannot learn the reason. */
function gradeOf(response: CallOutcome): Pick<Observation, "severity"> {
  const { status = 0 } = response.exchange;
  return response.kind === "error" || status >= 400 ? { severity: "warning" } : {};
}

function describe({ exchange: { status }, ...response }: CallOutcome): string {
  const how = status === undefined ? "there is no response" : `the response is HTTP ${status}`;
  return response.kind === "error" ? `${how} with the error ${String(response.code)}` : how;
}
