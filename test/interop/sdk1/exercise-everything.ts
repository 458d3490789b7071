import { expect } from "vitest";
import type { OfficialClient } from "../../kit/official-clients.ts";

const text = (value: unknown): object => ({ content: [{ type: "text", text: value }] });

/** Sends the requests of official clients to the everything example, at any revision. */
export async function exerciseEverything(client: OfficialClient, revision: string): Promise<void> {
  expect(client.revision).toBe(revision);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["test_simple_text", "greet", "test_sampling"]));
  expect(names.includes("test_elicitation")).toBe(revision >= "2025-06-18");
  expect(await client.call("greet", { name: "ä€😀\u2028\n" })).toMatchObject(text("Hello, ä€😀\u2028\n!"));
  expect(await client.call("greet", { name: 1 })).toMatchObject({ isError: true });
  expect(await client.call("test_error_handling")).toMatchObject({ isError: true });
  await expect(client.call("nobody")).rejects.toMatchObject({ code: -32602 });
  expect(await client.call("test_image_content")).toMatchObject({ content: [{ type: "image" }] });
  const watched = expect.objectContaining({ uri: "test://watched-resource" });
  expect(await client.listResources()).toMatchObject({ resources: expect.arrayContaining([watched]) });
  const uriTemplate = "test://template/{id}/data";
  expect(await client.listResourceTemplates()).toMatchObject({ resourceTemplates: [{ uriTemplate }] });
  const read = await client.readResource({ uri: "test://template/7/data" });
  expect(read).toMatchObject({ contents: [{ text: expect.stringContaining('"id":"7"') }] });
  await expect(client.readResource({ uri: "test://none" })).rejects.toThrow("Resource not found");
  const prompt = { name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: "b" } };
  expect(await client.getPrompt(prompt)).toMatchObject({
    messages: [{ content: { text: "Prompt with arguments: arg1='a', arg2='b'" } }],
  });
  const ref = { type: "ref/resource", uri: uriTemplate } as const;
  const completed = await client.complete({ ref, argument: { name: "id", value: "12" } });
  expect(completed).toMatchObject({ completion: { values: ["123", "124"] } });
  expect(await client.call("test_sampling", { prompt: "6 * 7?" })).toMatchObject(text("LLM response: 42"));
  if (revision >= "2025-06-18") {
    const requested = await client.call("test_input_required_result_multiple_inputs");
    expect(requested).toMatchObject(text("me has 1 roots, and m says hello."));
  }
  const seen: number[] = [];
  await client.call("test_tool_with_progress", {}, { onprogress: ({ progress }) => seen.push(progress) });
  expect(seen.slice(0, 2)).toEqual([0, 50]);
  const stop = new AbortController();
  const waiting = client.call("slow_compute", { seconds: 30 }, { signal: stop.signal });
  setTimeout(() => stop.abort("enough"), 30);
  await expect(waiting).rejects.toBeDefined();
  expect(await client.call("test_simple_text")).toMatchObject({ content: [{ type: "text" }] });
}

/** Checks the notifications in a session. */
export async function exerciseNotifications(client: OfficialClient): Promise<void> {
  await client.ping();
  await client.call("test_tool_with_logging");
  await expect.poll(() => [...client.received]).toEqual(["info", "info", "info"]);
  await client.setLoggingLevel("warning");
  await client.call("test_tool_with_logging");
  await client.subscribeResource({ uri: "test://watched-resource" });
  await client.call("touch_watched_resource");
  await client.call("test_trigger_tool_change");
  await expect.poll(() => client.received.slice(3).sort()).toEqual(["test://watched-resource", "tools"]);
  await client.unsubscribeResource({ uri: "test://watched-resource" });
}
