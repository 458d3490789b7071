import { isObject } from "../../../generated/support.ts";
import { hasCapability } from "../conversation.ts";
import type { CheckResult, Rule } from "../finding.ts";
import { toResult, type Lists, type Observation } from "../probes/probe.ts";
import { textOf } from "../server-text.ts";
import type { Wire } from "../wires/wire.ts";
import type { HostFact, HostProfile } from "./profiles.ts";

/** Server as a host would see it. */
export interface HostedServer {
  readonly name: string;
  readonly transport: Wire["transport"];
  /** Supported revisions. */
  readonly revisions: readonly string[];
  readonly instructions: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly tools: Lists["tools"];
  /** Names of the headers necessary for the examination. */
  readonly headers: readonly string[];
}

/** Checks a server against the documented rules of hosts. The id of each rule begins with the host. */
export function checkHosts(hosts: ReadonlyMap<string, HostProfile>, server: HostedServer): readonly CheckResult[] {
  return [...hosts].flatMap(([id, { name, facts }]) =>
    facts.map((fact) => toResult(toRule(fact, { id, name }), observe(fact, name, server))),
  );
}

function toRule({ kind, source }: HostFact, host: { readonly id: string; readonly name: string }): Rule {
  const severity = kind === "annotations" ? "error" : "warning";
  return { id: `${host.id}-${kind}`, title: `${host.name}: ${titles[kind]}`, severity, help: source };
}

const titles: Readonly<Record<HostFact["kind"], string>> = {
  transports: "The transport is supported",
  auth: "The authentication is supported",
  annotations: "Tools have the required annotations",
  "tool-name": "Names of tools are short enough",
  "tool-description": "Descriptions of tools are read completely",
  instructions: "Instructions are read completely",
  tools: "The number of tools is supported",
  capability: "Capabilities are supported as they are served",
  "tool-search": "Tools can be found by a search",
  features: "The capabilities of the server are supported",
};

function observe(fact: HostFact, host: string, server: HostedServer): readonly Observation[] {
  switch (fact.kind) {
    case "transports":
      return observeTransport(fact, host, server);
    case "auth":
      return observeHeaders(host, server);
    case "annotations":
      return server.tools.flatMap((tool) => observeAnnotations(fact, host, tool));
    case "tool-name":
      return server.tools.flatMap(({ name }) => {
        const full = `${fact.prefix.replace("{server}", () => server.name)}${textOf(name)}`;
        if (full.length <= fact.max) return [];
        const message = `${host} leaves it out: with the name of the server, its name has ${full.length} characters, more than ${fact.max}`;
        return [{ subject: `tool ${textOf(name)}`, message, fix: "shorten its name, or that of the server" }];
      });
    case "tool-description":
      return server.tools.flatMap(({ name, description }) => {
        const length = typeof description === "string" ? description.length : 0;
        if (length <= fact.max) return [];
        const message = `${host} reads ${fact.max} characters of its description, which has ${length}`;
        return [{ subject: `tool ${textOf(name)}`, message, fix: "shorten it" }];
      });
    case "instructions":
      return observeInstructions(fact, host, server);
    case "tools":
      return server.tools.length <= fact.max ? [] : [tooManyTools(server.tools.length, { host, max: fact.max })];
    case "capability":
      return fact.paths
        .filter((path) => hasCapability(server.capabilities, path))
        .flatMap((path) => observeCapability(fact, host, { server, subject: `capability ${path.join(".")}` }));
    case "tool-search":
      return server.tools
        .filter(({ description = "" }) => fact.by.includes("description") && description === "")
        .map(({ name }) => ({
          subject: `tool ${textOf(name)}`,
          message: `${host} shows tools after a search only, which finds it by its name alone: it has no description`,
          fix: "describe it",
        }));
    case "features":
      return (fact.unsupported ?? [])
        .filter((path) => hasCapability(server.capabilities, path.split(".")))
        .map((path) => ({
          subject: `capability ${path}`,
          message: `${host} does not use it`,
          fix: "offer what matters through tools as well",
          severity: "note",
        }));
    default:
      return fact satisfies never;
  }
}

function observeTransport(
  { supported, deprecated = [] }: HostFact & { readonly kind: "transports" },
  host: string,
  { transport }: HostedServer,
): Observation[] {
  const subject = `transport ${transport}`;
  const fix = supported.includes("http") ? "serve it over Streamable HTTP" : `use ${supported.join(" or ")}`;
  if (!supported.includes(transport))
    return [{ subject, message: `${host} connects over ${supported.join(", ")} only`, fix }];
  if (!deprecated.includes(transport)) return [];
  return [{ subject, message: `${host} may end its support of this transport`, fix, severity: "note" }];
}

/** Hosts that support only OAuth send no other headers. */
function observeHeaders(host: string, { headers }: HostedServer): Observation[] {
  return headers
    .filter((name) => name.toLowerCase() !== "authorization")
    .map((name) => ({
      subject: `header ${name}`,
      message: `${host} does not send it: it supports OAuth, or no authentication`,
      fix: "protect the server with OAuth",
    }));
}

function observeAnnotations(
  { required = [], oneOf = [] }: HostFact & { readonly kind: "annotations" },
  host: string,
  { name, annotations }: Lists["tools"][number],
): Observation[] {
  const given = isObject(annotations) ? annotations : {};
  const isSet = (hint: string): boolean => typeof given[hint] === "boolean";
  const missing = required.filter((hint) => !isSet(hint));
  const subject = `tool ${textOf(name)}`;
  const found: Observation[] = [];
  if (missing.length > 0)
    found.push({
      subject,
      message: `the review of ${host} requires explicit values of ${missing.join(", ")}`,
      fix: "set them to true or false in its annotations",
    });
  if (oneOf.length > 0 && !oneOf.some(isSet))
    found.push({
      subject,
      message: `the directory of ${host} requires ${oneOf.join(" or ")}`,
      fix: "set one of them in its annotations",
    });
  return found;
}

function observeCapability(
  { transports, revisions }: HostFact & { readonly kind: "capability" },
  host: string,
  { server, subject }: { readonly server: HostedServer; readonly subject: string },
): Observation[] {
  const found: Observation[] = [];
  if (transports && !transports.includes(server.transport)) {
    const over = transports.join(" or ");
    found.push({ subject, message: `${host} uses it over ${over} only`, fix: `serve it over ${over}` });
  }
  if (revisions && !revisions.some((id) => server.revisions.includes(id))) {
    const at = revisions.join(" or ");
    found.push({ subject, message: `${host} uses it at ${at} only`, fix: `support ${at}` });
  }
  return found;
}

function observeInstructions(
  { max = Infinity, preferred = Infinity }: HostFact & { readonly kind: "instructions" },
  host: string,
  { instructions: { length } }: HostedServer,
): Observation[] {
  const subject = "instructions";
  if (length > max)
    return [{ subject, message: `${host} reads ${max} of their ${length} characters`, fix: "shorten them" }];
  if (length <= preferred) return [];
  const message = `${host} recommends what matters in the first ${preferred} of their ${length} characters`;
  return [{ subject, message, fix: "begin with what matters", severity: "note" }];
}

function tooManyTools(count: number, { host, max }: { readonly host: string; readonly max: number }): Observation {
  const message = `${host} supports ${max} tools of all servers together; this server has ${count}`;
  return { subject: "tools", message, fix: "offer fewer tools, or split the server" };
}
