import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { EventStreams } from "../../../generator/inspect/event-stream.ts";
import { portOf, startListening } from "../../../runtime/transport/listening.ts";

test("an event after the end of the streams is ignored", async () => {
  const streams = new EventStreams();
  const failures: unknown[] = [];
  const server = createServer((_request, response) => {
    response.on("error", (error) => void failures.push(error));
    streams.open(response, []);
    streams.close();
    streams.send({ kind: "output", text: "late" });
  });
  onTestFinished(() => void server.close());
  await startListening(server, { port: 0, host: "127.0.0.1" });
  const response = await fetch(`http://127.0.0.1:${portOf(server)}`);
  expect(await response.text()).toBe("retry: 1000\n\n");
  expect(failures).toEqual([]);
});
