import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchFiles, hashOf, pinnedFiles, type OfficialFile } from "../oracle/official-files.ts";

/* `npm run fetch:spec`, with a server on this machine in place of the specification repository. */

const commit = "c".repeat(40);
const contents: Readonly<Record<string, string>> = {
  "2000-01-01/schema.json": "{}",
  "2000-01-01/examples/A/a.json": "[]",
};
const files: readonly OfficialFile[] = Object.entries(contents).map(([path, text]) => ({
  path,
  commit,
  sha256: hashOf(Buffer.from(text)),
}));

let folder = "";
let server: Server;
let requested: string[] = [];
/** Status codes of the next responses; 200 when there are none left. */
let statuses: number[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "official-"));
  [requested, statuses] = [[], []];
  server = createServer(({ url = "" }, response) => {
    requested.push(url);
    response.statusCode = statuses.shift() ?? 200;
    response.end(contents[url.replace(`/${commit}/schema/`, "")]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe("fetching official files", () => {
  it("fetching writes files with the pinned hash, and requests only those that are missing or changed", async () => {
    expect(await fetchHere()).toBe(2);
    expect(requested.sort()).toEqual(files.map(({ path }) => `/${commit}/schema/${path}`).sort());
    expect(await readFile(join(folder, "2000-01-01/schema.json"), "utf8")).toBe("{}");
    expect(await fetchHere()).toBe(0);
    await writeFile(join(folder, "2000-01-01/schema.json"), "{ }");
    expect(await fetchHere()).toBe(1);
    expect(await readFile(join(folder, "2000-01-01/schema.json"), "utf8")).toBe("{}");
  });

  it("fetching repeats a request that a busy server rejects", async () => {
    statuses = [503, 429];
    expect(await fetchHere()).toBe(2);
    expect(requested).toHaveLength(4);
  });

  it("fetching reports the failing address and the remedy", async () => {
    statuses = [404, 404];
    await expect(fetchHere()).rejects.toThrow(
      /\/schema\/\S+ responds with status 404; check the network, set MCP_OFFICIAL_URL/,
    );
    const closed = `http://127.0.0.1:${port()}`;
    await new Promise((resolve) => server.close(resolve));
    await expect(fetchFiles({ files, folder, baseUrl: closed, retryDelay: 1 })).rejects.toThrow(
      /cannot be reached \(.*ECONNREFUSED.*\); check the network/,
    );
  });

  it("fetching writes nothing with another hash", async () => {
    const changed = files.slice(0, 1).map((file) => ({ ...file, sha256: hashOf(Buffer.from("other")) }));
    await expect(fetchFiles({ files: changed, folder, baseUrl: `http://127.0.0.1:${port()}` })).rejects.toThrow(
      /schema\.json has the SHA-256 \w{64} instead of \w{64}; /,
    );
    await expect(readFile(join(folder, "2000-01-01/schema.json"))).rejects.toThrow("ENOENT");
  });
});

describe("the list of official files", () => {
  it("the list of official files has declarations and a JSON Schema for each pinned revision, with their hashes", async () => {
    const { revisions } = JSON.parse(await readFile("spec/pins.json", "utf8"));
    const pinned = pinnedFiles();
    for (const [revision, pin] of Object.entries<Record<string, string>>(revisions)) {
      const find = (name: string): OfficialFile | undefined =>
        pinned.find(({ path }) => path === `${revision}/${name}`);
      expect(find("schema.ts")).toMatchObject({ commit: pin.commit, sha256: pin.sha256 });
      expect(find("schema.json")).toMatchObject({ commit: pin.commit, sha256: expect.stringMatching(/^\w{64}$/) });
    }
  });
});

function fetchHere(): Promise<number> {
  return fetchFiles({ files, folder, baseUrl: `http://127.0.0.1:${port()}`, retryDelay: 1 });
}

function port(): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
