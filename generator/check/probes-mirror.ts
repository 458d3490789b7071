import { isObject, type HeaderRule, type Revision } from "../../generated/support.ts";
import type { Answer } from "./conversation.ts";
import { HttpWire } from "./http-wire.ts";
import { harmless } from "./probes-message.ts";
import type { Lists, Probe, ProbeContext, Seen } from "./probe.ts";

/** Probes of headers that repeat what a message says, so that what stands between can route it unread. */
export const mirrorProbes: readonly Probe[] = [
  {
    rule: {
      id: "http-mirrored-headers",
      title: "Headers that are missing or say other than the message are refused",
      severity: "error",
      help: "https://modelcontextprotocol.io/specification/latest/basic/transports/streamable-http#server-validation",
    },
    applies: ({ conversation, revision }) =>
      conversation.wire instanceof HttpWire && revision.errors.headerMismatch?.emitted === true,
    run: async (context) => {
      const seen: Seen[] = [];
      for (const lie of liesOf(context)) seen.push(...(await tell(context, lie)));
      return seen;
    },
  },
];

/** A request, and a header of it that is not what the revision demands; empty for one that is left out. */
interface Lie {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly header: string;
  readonly value: string;
  /** Codes besides that of the mismatch that are as right: no revision says which fault is found first. */
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

/** Requests that need the header and do no harm should the server take them: no tool is called but one that says that it changes nothing. */
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
 * A tool that says that it changes nothing and needs no arguments can only be refused for what the headers say. Of any other, servers may first
 * find what is wrong with the call itself.
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

/** What the message does not say. */
function otherValue({ source }: HeaderRule, { id, clientRequests }: Revision): string {
  // As long as a revision, and older than the first.
  if (source === "revision") return id.replace(/\d/, "1");
  if (source === "method") return Object.keys(clientRequests).find((method) => method.endsWith("/list")) ?? "x";
  return "doctor-another";
}

async function tell(
  { conversation, revision }: ProbeContext,
  { method, params, header, value, others }: Lie,
): Promise<Seen[]> {
  const { code = 0, status } = revision.errors.headerMismatch ?? {};
  const answer = await conversation.ask(method, params, { checks: false, headers: { [header]: value } });
  if (others.some((other) => answer.kind === "error" && answer.code === other)) return [];
  const isRight = answer.kind === "error" && answer.code === code && answer.exchange.status === status;
  if (isRight) return [];
  const fix = `compare ${header} with the message and refuse the request with HTTP ${status} and the error ${code}`;
  const what = value === "" ? `without ${header}` : `with ${header}: ${value}`;
  return [{ subject: `${method} ${what}`, message: `it is ${describe(answer)}`, fix, ...gradeOf(answer) }];
}

/** What is refused for whatever reason does no harm: only clients that want to know why are lost. */
function gradeOf(answer: Answer): Pick<Seen, "severity"> {
  const { status = 0 } = answer.exchange;
  return answer.kind === "error" || status >= 400 ? { severity: "warning" } : {};
}

function describe({ exchange: { status }, ...answer }: Answer): string {
  const how = status === undefined ? "not answered" : `answered with HTTP ${status}`;
  return answer.kind === "error" ? `${how} and the error ${String(answer.code)}` : how;
}
