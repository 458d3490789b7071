import { ServerCalls } from "../../../generated/2025-11-25/server.ts";
import { createAcceptor, type Acceptor } from "../../../runtime/lifecycle/acceptor.ts";
import type { Timeouts } from "../../../runtime/jsonrpc/limits.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";

type Tool = (args: { readonly n: number; readonly text: string }, context: CallContext) => unknown;

/** The server that the shared suite talks to. Everything is observed through its tools, so that it may run in another process. */
export function createSuiteServer(timeouts: Partial<Timeouts> = {}): Acceptor {
  let cancelled = 0;
  const tools: Readonly<Record<string, Tool>> = {
    echo: ({ text }) => text,
    later: async ({ n, text }) => {
      await new Promise((resolve) => setTimeout(resolve, n));
      return text;
    },
    large: ({ n }) => "€".repeat(n),
    async progress({ n }, context) {
      for (let progress = 1; progress <= n; progress += 1) await context.progress({ progress, total: n });
      return "done";
    },
    async ask({ n }, context) {
      const calls = new ServerCalls(context);
      const results = await Promise.all(Array.from({ length: n }, () => calls.listRoots()));
      return results.flatMap(({ roots }) => roots.map(({ uri }) => uri)).length;
    },
    /** Reports progress before and after a request to its client. */
    async visit(_args, context) {
      await context.progress({ progress: 1 });
      const { roots } = await new ServerCalls(context).listRoots();
      await context.progress({ progress: 2 });
      return roots.length;
    },
    /** With a number, it says when it has begun. */
    async hang({ n }, context) {
      const { signal } = context;
      const cancelling = new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          cancelled += 1;
          reject(signal.reason);
        });
      });
      cancelling.catch(() => {});
      if (n > 0) await context.progress({ progress: n });
      return cancelling;
    },
    cancelled: () => cancelled,
  };
  return createAcceptor({
    info: { name: "suite", version: "1" },
    revisions: handshakeRevisions,
    timeouts,
    capabilities: { tools: {} },
    handlers: {
      async callTool(
        { name, arguments: args }: { name: string; arguments?: { n: number; text: string } },
        context: CallContext,
      ) {
        const text = String(await tools[name]?.(args ?? { n: 0, text: "" }, context));
        return { content: [{ type: "text", text }] };
      },
    },
  });
}
