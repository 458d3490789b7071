import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { ByteBuffer } from "../../../runtime/framing/byte-buffer.ts";
import { readText } from "../../../runtime/transport/http-client/body.ts";
import { FetchExchange } from "../../../runtime/transport/http-server/exchange/fetch-exchange.ts";
import { NodeExchange } from "../../../runtime/transport/http-server/exchange/node-exchange.ts";
import { TurnBatcher } from "../../../runtime/transport/http-server/exchange/turn-batcher.ts";

const text = "pieces of one byte each: é€😀 ".repeat(100);
const bytes = new TextEncoder().encode(text);

/** A stream that hands out the same byte over and over: whoever keeps it has only the last one in the end. */
function toSameByte(): ReadableStream<Uint8Array> {
  const same = new Uint8Array(1);
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (next === bytes.length) return controller.close();
        same[0] = bytes[next++] ?? 0;
        controller.enqueue(next === 1 ? same.slice() : same);
      },
    },
    { highWaterMark: 0 },
  );
}

describe("bytes that arrive in pieces", () => {
  test.each([1, 2, 3, 1_000, 2_000, 10_000])("bytes that arrive in pieces of %i are the same", (size) => {
    const buffer = new ByteBuffer();
    for (let start = 0; start < bytes.length; start += size) buffer.push(bytes.subarray(start, start + size));
    expect(buffer.length).toBe(bytes.length);
    expect(new TextDecoder().decode(buffer.bytes)).toBe(text);
  });

  test("bytes are not copied while there is one piece, which is never written into", () => {
    const first = Uint8Array.of(1, 2);
    const buffer = new ByteBuffer();
    expect(buffer.bytes).toHaveLength(0);
    buffer.push(new Uint8Array(0));
    buffer.push(first.subarray(0, 1));
    expect(buffer.bytes.buffer).toBe(first.buffer);
    buffer.push(Uint8Array.of(9));
    expect([...buffer.bytes]).toEqual([1, 9]);
    expect([...first]).toEqual([1, 2]);
  });
});

describe("the memory of a body in small pieces (R50)", () => {
  test("a body in small pieces takes the memory of its bytes on node:http", async () => {
    const request = new IncomingMessage(new Socket());
    const body = new NodeExchange(request, new ServerResponse(request), new TurnBatcher()).readBody({
      maxBytes: bytes.length,
      timeout: 10_000,
    });
    const same = new Uint8Array(1);
    for (const [index, byte] of bytes.entries()) {
      same[0] = byte;
      request.emit("data", index === 0 ? same.slice() : same);
    }
    request.emit("end");
    expect(await body).toMatchObject({ kind: "text", text });
  });

  test("a body in small pieces takes the memory of its bytes on the web platform", async () => {
    const request = new Request("http://localhost/", { method: "POST" });
    Object.defineProperty(request, "body", { value: toSameByte() });
    expect(await new FetchExchange(request).readBody({ maxBytes: bytes.length, timeout: 10_000 })).toMatchObject({
      kind: "text",
      text,
    });
  });

  test("a body in small pieces takes the memory of its bytes at a client", async () => {
    expect(await readText(new Response(toSameByte()), bytes.length)).toBe(text);
  });
});
