import { z } from "zod";
import { revision, type Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { Peer, PeerOptions } from "./peer.ts";
import type { Scene } from "./scenario.ts";
import type { ServerScene } from "./subjects.ts";

/** Server with the tools that the example does not have, and a connection to it. */
export interface Features {
  readonly peer: Peer;
  /** Labels of the calls of `test_tool_slow` that have begun. */
  readonly started: readonly string[];
  /** Labels of those that were cancelled. */
  readonly stopped: readonly string[];
}

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const levels = ["debug", "info", "warning", "error"] as const;

/** Page that `test_elicitation_url` sends the user to. */
export const page = { mode: "url", message: "Sign in", url: "https://example.com/sign-in" } as const;

/** Starts the server on a free port until the scenario has ended, and connects to it. */
export async function openFeatures(scene: ServerScene, options: PeerOptions = {}): Promise<Features> {
  const started: string[] = [];
  const stopped: string[] = [];
  const server = defineServer({
    name: "features",
    version: "1.0.0",
    onError() {},
    tools: [
      defineTool({
        name: "test_tool_slow",
        description: "Reports progress once, and runs until it is cancelled.",
        inputSchema: z.object({ label: z.string() }),
        async execute({ label }, { signal, progress }) {
          started.push(label);
          await progress(1);
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
          stopped.push(label);
          return "Cancelled.";
        },
      }),
      defineTool({
        name: "test_tool_levels",
        description: "Logs a message at several levels.",
        async execute(_args, { log }) {
          for (const level of levels) await log(level, `A message of level ${level}.`);
          return "Logged.";
        },
      }),
      defineTool({
        name: "test_elicitation_required",
        description: "Cannot be called before the user has been to a page.",
        execute() {
          const elicitations = [{ ...page, elicitationId: "page-1" }];
          throw new RpcError(-32042, "Sign in first", { data: { elicitations } });
        },
      }),
      defineTool({
        name: "test_elicitation_url",
        description: "Sends the user to a page.",
        async execute(_args, { elicit }) {
          const { action } = await elicit(page);
          return `The user chose ${action}.`;
        },
      }),
    ],
  });
  const url = await serve(server, scene);
  return { peer: await scene.open({ ...options, url }), started, stopped };
}

const newest = forRevisions<Declarations>([revision]);

/** Starts a server whose tools return structured content of every kind: before the newest revision, it was an object. */
export function startStructured(scene: Scene): Promise<string> {
  const define = newest.defineTool;
  const server = newest.defineServer({
    name: "structured",
    version: "1.0.0",
    tools: [
      define({
        name: "test_structured_array",
        description: "Returns a list as structured content.",
        outputSchema: z.array(z.object({ day: z.string(), degrees: z.number() })),
        execute: () => [{ day: "Monday", degrees: 21 }],
      }),
      define({
        name: "test_structured_number",
        description: "Returns a number as structured content.",
        outputSchema: z.number(),
        execute: () => 42,
      }),
      define({
        name: "test_structured_object",
        description: "Returns an object as structured content.",
        outputSchema: z.object({ count: z.number() }),
        execute: () => ({ count: 42 }),
      }),
    ],
  });
  return serve(server, scene);
}

async function serve(server: Server, { onEnd }: Scene): Promise<string> {
  const listener = await serveHttp(server, { port: 0 });
  onEnd(() => listener.close());
  return listener.url;
}
