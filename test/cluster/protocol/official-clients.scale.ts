import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { connectClient } from "../../../runtime/client/create-client.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { exerciseEverything, exerciseNotifications } from "../../interop/sdk1/exercise-everything.ts";
import { connectV1, connectV2, type OfficialClient } from "../../kit/official-clients.ts";
import { startRedis } from "../processes/redis-process.ts";

/* Clients that know nothing of several nodes, at a balancer that sends each request to the next of three nodes. */

const root = join(import.meta.dirname, "../../..");

describe.runIf(process.env["SCALE_ENGINE"] === "redis")("clients of three nodes behind a balancer", () => {
  test("the official client of the first generation works at 2025-11-25", async () => {
    const place = { kind: "http", url: await startNodes() } as const;
    const client = await keep(connectV1(place));
    await exerciseEverything(client, "2025-11-25");
    await exerciseNotifications(client);
  });

  test("the official client of the second generation works at 2025-11-25 and at 2026-07-28", async () => {
    const place = { kind: "http", url: await startNodes() } as const;
    await exerciseEverything(await keep(connectV2(place)), "2025-11-25");
    await exerciseEverything(await keep(connectV2(place, "auto")), "2026-07-28");
  });

  test("the client of this runtime works at 2025-11-25", async () => {
    const url = await startNodes();
    const session = await connectClient<Declarations>((options) => connectHttp(url, options), {
      info: { name: "ours", version: "1" },
      revisions: revisions.filter(({ id }) => id === "2025-11-25"),
    });
    onTestFinished(() => session.close());
    const texts = await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => (await session.callTool("greet", { name })).content),
    );
    expect(texts).toMatchObject(["a", "b", "c", "d"].map((name) => [{ text: `Hello, ${name}!` }]));
  });
});

/** Starts three nodes of the example `everything`. Returns the URL of the balancer. */
async function startNodes(): Promise<string> {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const args = ["--import", "tsx", join(root, "test/cluster/processes/main.ts"), "--engine", redis.url, "--nodes", "3"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGTERM"));
  for await (const line of createInterface(child.stdout)) {
    const { url }: { readonly url: string } = JSON.parse(line);
    return url;
  }
  throw new Error("The cluster has ended before it listened");
}

async function keep(connecting: Promise<OfficialClient>): Promise<OfficialClient> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}
