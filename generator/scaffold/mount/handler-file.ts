import { formatRendered } from "../../internal/format.ts";
import type { Templates } from "../../internal/templates.ts";
import type { RevisionModel } from "../../model.ts";
import { isOverSse } from "../create/project-options.ts";
import type { Protection } from "../layer/choices.ts";
import type { Framework } from "./frameworks.ts";

/** Template of the module with the HTTP handler of a server. */
export const handlerTemplate = "mount/handler.ts";

/** Choices the module with the HTTP handler depends on. */
export interface HandlerChoices {
  /** Framework to adapt the handler to. Absent: the module exports the handler only. */
  readonly framework?: Framework | undefined;
  readonly auth: Protection;
  /** Models of the served revisions. */
  readonly models: readonly RevisionModel[];
  /** True if the server is a program on stdio, too: `src/auth.ts` then checks its settings only for HTTP. */
  readonly isOnStdio?: boolean;
  /** True if several nodes share an engine, which `src/engine.ts` connects to. */
  readonly isScaled: boolean;
  /** Name of the service whose telemetry `src/telemetry.ts` exports. Absent: there is none. */
  readonly telemetry?: string | undefined;
  /** Module with the definition of the server, as the handler imports it. */
  readonly definition: string;
  /** Entry of the protocol layer, as the handler imports it. */
  readonly layer: string;
  /** True for platforms with many isolates of an application. */
  readonly isOnEdge: boolean;
}

/** Emits the module with the HTTP handler of a server, and the adapter to a framework. */
export function emitHandler(choices: HandlerChoices, templates: Templates): Promise<string> {
  const { framework, auth, isOnStdio = false, isScaled, telemetry, definition, layer, isOnEdge } = choices;
  const paths = framework === undefined || framework === "next" ? [] : pathsOf(choices);
  const view = {
    definition,
    layer,
    isProtected: auth !== "none",
    checks: auth !== "none" && isOnStdio,
    engine: isScaled,
    otel: telemetry !== undefined,
    name: telemetry,
    anyHost: isOnEdge,
    stateless: isStateless(choices),
    onNode: framework === "express" || framework === "node",
    express: framework === "express",
    plain: framework === "node",
    fastify: framework === "fastify",
    hono: framework === "hono",
    next: framework === "next",
    paths: paths.map((path) => JSON.stringify(path)).join(", "),
    pathsText: describePaths(paths),
  };
  return formatRendered(templates.render(handlerTemplate, view));
}

/** Paths served by the handler of an application. */
export function pathsOf(
  choices: Pick<HandlerChoices, "framework" | "auth" | "models" | "isOnEdge">,
): readonly string[] {
  const isOverStreams = !isStateless(choices) && choices.models.some(isOverSse);
  const metadata = "/.well-known/oauth-protected-resource";
  return [
    "/mcp",
    ...(isOverStreams ? ["/sse", "/messages"] : []),
    ...(choices.auth === "oauth" ? [metadata, `${metadata}/mcp`] : []),
  ];
}

/** True if the application serves without sessions: its platform may run many instances of it. */
function isStateless({ framework, isOnEdge }: Pick<HandlerChoices, "framework" | "isOnEdge">): boolean {
  return framework === "next" || isOnEdge;
}

function describePaths(paths: readonly string[]): string {
  const parts = [
    ...(paths.includes("/sse") ? ["clients of 2024 use the second and the third"] : []),
    ...(paths.some((path) => path.includes("oauth")) ? ["the last two have the metadata of its authorization"] : []),
  ];
  return parts.length === 0 ? "" : `: ${parts.join("; ")}`;
}
