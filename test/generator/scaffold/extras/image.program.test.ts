import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { emitFiles } from "../../../kit/projects.ts";

test.each([{ transport: "http" }, { mount: "express" }])(
  "the health check of the image of a project with %j follows PORT",
  async (choices) => {
    const selection = { ...choices, extras: "docker", features: "tools" };
    const image = (await emitFiles({ selection, revisions: ["2026-07-28"] })).get("Dockerfile") ?? "";
    const [, words = "[]"] = /^HEALTHCHECK CMD (.*)$/m.exec(image) ?? [];
    const [, ...args]: string[] = JSON.parse(words);
    const server = createServer((request, response) => response.writeHead(request.url === "/health" ? 200 : 404).end());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const env = { ...process.env, PORT: String(port) };
    await expect(promisify(execFile)(process.execPath, args, { env })).resolves.toMatchObject({ stderr: "" });
    server.close();
  },
);
