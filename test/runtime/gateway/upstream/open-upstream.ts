import { onTestFinished, vi } from "vitest";
import { Upstream, type Listener, type UpstreamOptions } from "../../../../runtime/gateway/upstream/upstream.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { newest } from "../../../kit/revisions.ts";
import { complete, createScripted, type Script, unlimited } from "./scripted-server.ts";

/** Client of the connections that a test opens. */
export const principal = { info: { name: "test", version: "1" }, capabilities: { elicitation: {} } };

/** Listener that has no client. */
export const silent: Listener = { ask: () => Promise.reject(new Error("No client")), notify() {} };

/** Server that has no tools, and responds to nothing else. */
export const lists: Script = ({ method }) => (method === "tools/list" ? { ...complete, tools: [] } : undefined);

/** Capabilities of a server by default. */
export const usual = { tools: {}, logging: {} };

interface Declared {
  readonly listener?: Listener;
  readonly capabilities?: object;
}

/** Opens a connection until the end of the test, by default for no client. */
export async function openUpstream(
  revision = newest,
  script = lists,
  { listener, capabilities = usual, ...more }: Partial<UpstreamOptions> & Declared = {},
) {
  const errors: string[] = [];
  const onMismatch = vi.fn();
  const server = createScripted({ revision, capabilities }, script);
  const upstream = await Upstream.open(
    {
      open: server.open,
      ...unlimited,
      onError: ({ kind, error }) => void errors.push(`${kind}: ${error.message}`),
      onMismatch,
      signal: new AbortController().signal,
      ...more,
    },
    principal,
    () => listener,
  );
  onTestFinished(() => upstream.close());
  return { upstream, errors, onMismatch, received: server.received };
}

/** Opens a connection of a session, whose server responds to everything. Requests that `rejects` chooses are rejected. */
export async function openSession(
  rejects: (method: string) => boolean = () => false,
  more: Partial<UpstreamOptions> = {},
) {
  const notified: unknown[] = [];
  const listener: Listener = { ...silent, notify: (handler, params) => void notified.push([handler, params]) };
  const capabilities = { logging: {}, tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } };
  const script: Script = ({ method }) => {
    if (rejects(method)) throw new RpcError(-32602, "no");
    return {};
  };
  const opened = await openUpstream(newest, script, { listener, capabilities, ...more });
  const uris = (): readonly unknown[] => opened.received("resources/subscribe").map(({ params }) => params["uri"]);
  const levels = (): readonly unknown[] => opened.received("logging/setLevel").map(({ params }) => params["level"]);
  return { ...opened, notified, uris, levels };
}
