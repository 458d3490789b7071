import { expect } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { text } from "../../kit/messages.ts";

/** Messages that our client received. */
export interface Received {
  readonly levels: string[];
  readonly lists: string[];
}

/** Everything that our client can do with `createSdk2Server`, in a session. */
export async function exerciseSdk2(
  session: ClientSession<Declarations>,
  { canElicit, received }: { readonly canElicit: boolean; readonly received: Received },
): Promise<void> {
  await session.ping();
  expect((await session.listTools()).map(({ name }) => name)).toContain("echo");
  expect(await session.callTool("echo", { text: "ä€😀\u2028\n" })).toMatchObject(text("ä€😀\u2028\n"));
  expect(await session.callTool("sum", { a: 1, b: 2 })).toMatchObject(text("3"));
  expect(await session.listResources()).toMatchObject([{ uri: "test://a" }]);
  expect(await session.readResource("test://a")).toMatchObject({ contents: [{ text: "text of a" }] });
  await expect(session.readResource("test://none")).rejects.toMatchObject({ name: "PeerError" });
  expect(await session.listPrompts()).toMatchObject([{ name: "greet" }]);
  expect(await session.getPrompt("greet", { whom: "you" })).toMatchObject({
    messages: [{ content: { text: "Hello you" } }],
  });
  const seen: number[] = [];
  await session.callTool("progress", {}, { onProgress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual([1, 2, 3]);
  expect(await session.callTool("sample")).toMatchObject(text('{"type":"text","text":"42"}'));
  const form = await session.callTool("form");
  if (canElicit) expect(form).toMatchObject(text('{"action":"accept","content":{"age":42}}'));
  else expect(form).toMatchObject({ isError: true });
  await session.setLogLevel("warning");
  await session.callTool("log");
  await expect.poll(() => received).toEqual({ levels: ["error"], lists: ["tools"] });
  const stop = new AbortController();
  const waiting = session.callTool("wait", {}, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 30);
  await expect(waiting).rejects.toThrow("enough");
  await session.ping();
}
