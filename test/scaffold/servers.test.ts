import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSelection } from "../../generator/scaffold/create/project-choices.ts";
import { temporaryFolder } from "../kit/temporary-folders.ts";
import { allRevisions, emitFiles } from "../kit/projects.ts";

/*
 * Configuration of the servers beside the nodes of a project, read by these servers.
 */

describe.each(["redis", "nats"])("a project for several nodes on %s", async (scale) => {
  const tree = await emitFiles({ revisions: allRevisions, selection: readSelection({ scale }) });

  /** Writes a file of the project, and returns its path. */
  function write(path: string, change: (text: string) => string = (text) => text): string {
    const file = join(temporaryFolder(), "settings.conf");
    writeFileSync(file, change(tree.get(path) ?? expect.unreachable(`${path} was not emitted`)));
    return file;
  }

  test("nginx accepts its configuration", () => {
    const folder = temporaryFolder();
    // nginx looks up the names of the nodes when it starts, and here there are none.
    const file = write("deploy/nginx.conf", (text) => {
      return `pid ${join(folder, "nginx.pid")};\n${text.replaceAll(/app\d:3000/g, "127.0.0.1:3000")}`;
    });
    execFileSync("nginx", ["-t", "-e", "stderr", "-p", folder, "-c", file], { stdio: "pipe" });
  });

  test("HAProxy accepts its configuration", () => {
    execFileSync("haproxy", ["-c", "-f", write("deploy/haproxy.cfg")], { stdio: "pipe" });
  });

  test.runIf(scale === "nats")("NATS accepts its configuration", () => {
    // NATS 2.9, which may be installed here, has another default of this setting and no name for it.
    const file = write("deploy/nats.conf", (text) => text.replace("sync_interval: always", ""));
    execFileSync("nats-server", ["-t", "-c", file], { stdio: "pipe" });
  });
});
