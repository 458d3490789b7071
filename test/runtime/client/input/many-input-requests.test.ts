import { describe, expect, test } from "vitest";
import { extension } from "../../../../generated/extensions/tasks/index.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { isInputRequiredError } from "../../../../runtime/client/errors.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { collectWarnings, connectToRequesting, type Way } from "../../many-input-requests.ts";

const ways: readonly Way[] = ["result", "task"];

interface Opened {
  readonly session: DefaultClientSession;
  /** Signals of the handler, one for each input request that it handled. */
  readonly signals: AbortSignal[];
}

async function open(count: number, way: Way): Promise<Opened> {
  const signals: AbortSignal[] = [];
  const client = createUntypedClient({
    info: { name: "test", version: "1" },
    revisions: [statelessRevision],
    extensions: [extension],
    elicitation: {
      async form(_params: object, { signal }: { readonly signal: AbortSignal }) {
        signals.push(signal);
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
          setTimeout(resolve);
        });
        return { action: "decline" };
      },
    },
  });
  return { session: await client.connect(connectToRequesting(count, way)), signals };
}

describe.each(ways)("a %s with many input requests", (way) => {
  test("a call fails without any handler if there are more than 100", async () => {
    const { session, signals } = await open(101, way);
    const error: unknown = await session.callTool("t").catch((thrown: unknown) => thrown);
    expect(isInputRequiredError(error) && Object.keys(Object(error.result).inputRequests)).toHaveLength(101);
    expect(String(error)).toContain("The server requires input in 101 requests at once; at most 100 are handled");
    expect(signals).toEqual([]);
    await session.close();
  });

  test("a call gets its result after 100, whose handlers have signals of their own, without a warning of Node.js", async () => {
    const { session, signals } = await open(100, way);
    const warnings = collectWarnings();
    const stop = new AbortController();
    const result = await session.callTool("t", {}, { signal: stop.signal });
    expect(result).toMatchObject({ content: [{ type: "text", text: "done" }] });
    expect(new Set(signals).size).toBe(100);
    expect(await warnings()).toEqual([]);
    await session.close();
  });
});
