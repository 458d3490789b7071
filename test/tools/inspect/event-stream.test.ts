import { expect, onTestFinished, test } from "vitest";
import { EventStreams } from "../../../tools/inspect/event-stream.ts";
import { serveRaw } from "../../kit/raw-server.ts";

test("an event after the end of the streams is ignored", async () => {
  const streams = new EventStreams();
  const failures: unknown[] = [];
  const server = await serveRaw((_request, response) => {
    response.on("error", (error) => void failures.push(error));
    streams.open(response, []);
    streams.close();
    streams.send({ kind: "output", text: "late" });
  });
  onTestFinished(() => server.close());
  const response = await fetch(server.url);
  expect(await response.text()).toBe("retry: 1000\n\n");
  expect(failures).toEqual([]);
});
