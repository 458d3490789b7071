import { authorizationCode, createOAuthProvider } from "../../../../runtime/auth/client/index.ts";
import {
  createHeadlessRedirect,
  serveRig,
  without,
  type Places,
  type Rig,
  type Said,
  type Script,
  type Seen,
} from "../../../runtime/auth/client/rig.ts";
import type { Received } from "../../../kit/scripted-server.ts";
import type { RevisionId } from "../../../wire/script.ts";
import type { Scenario } from "../scenario.ts";
import { complete, findUsual, type ClientScene } from "./scripted.ts";

const revisions: readonly RevisionId[] = ["2026-07-28", "2025-11-25", "2025-06-18"];

/** Scenarios about clients that authorize themselves. */
export const authorizationScenarios: readonly Scenario<ClientScene>[] = [
  {
    id: "auth/token-refresh-basic",
    side: "client",
    revisions,
    clause: { page: "2026-07-28/basic/authorization#refresh-tokens", sep: 2207 },
    async run(scene) {
      const { check } = scene;
      const { rig, call } = await signIn(scene, {
        token: (body) => ({ body: { ...body, refresh_token: "refresh-1" } }),
      });
      check("a call is served after the sign-in", await call(), { content: [] });
      rig.valid.clear();
      check("a call is served after the token was rejected", await call(), { content: [] });
      check(
        "the client uses the refresh token, for the same resource",
        rig.forms("refresh_token").map((form) => Object.fromEntries(form)),
        [{ refresh_token: "refresh-1", resource: rig.url }],
      );
      check("the user signs in once", visits(rig), 1);
    },
  },
  {
    id: "auth/token-refresh-rotation",
    side: "client",
    revisions,
    clause: { page: "2026-07-28/basic/authorization#refresh-tokens", sep: 2207 },
    async run(scene) {
      const { check } = scene;
      let count = 0;
      const { rig, call } = await signIn(scene, {
        token(body, form) {
          const presented = form.get("refresh_token");
          if (presented !== null && presented !== `refresh-${count}`)
            return { status: 400, body: { error: "invalid_grant" } };
          count += 1;
          return { body: { ...body, refresh_token: `refresh-${count}` } };
        },
      });
      for (const name of ["first", "second", "third"]) {
        check(`the ${name} call is served`, await call(), { content: [] });
        rig.valid.clear();
      }
      check(
        "each refresh token is used once, in their order",
        rig.forms("refresh_token").map((form) => form.get("refresh_token")),
        ["refresh-1", "refresh-2"],
      );
      check("the user signs in once", visits(rig), 1);
    },
  },
  {
    id: "auth/scope-step-up-refresh",
    side: "client",
    revisions,
    clause: { page: "2026-07-28/basic/authorization#scope-challenge-handling", sep: 2350 },
    async run(scene) {
      const { check } = scene;
      const granted = new Map<string, string>();
      let lastScope = "";
      const { rig, call } = await signIn(scene, {
        challenge: ({ url }) => `Bearer scope="mcp:basic", resource_metadata="${toMetadata(url)}"`,
        token(body, form) {
          granted.set(String(body.access_token), form.has("refresh_token") ? "mcp:basic" : lastScope);
          return { body: { ...body, refresh_token: "refresh-1" } };
        },
        guard(token, seen, { url }) {
          if (token === undefined || granted.get(token) === undefined || !seen.body.includes('"tools/call"'))
            return undefined;
          if (granted.get(token)?.split(" ").includes("mcp:write")) return undefined;
          const challenge = `Bearer error="insufficient_scope", scope="mcp:write", resource_metadata="${toMetadata(url)}"`;
          return { status: 403, headers: { "WWW-Authenticate": challenge } };
        },
        first(seen) {
          if (seen.path === "/authorize") lastScope = seen.query.get("scope") ?? "";
          return undefined;
        },
      });
      check("a call that needs another scope is served", await call(), { content: [] });
      check("the user grants it, with the scope that was granted before", lastScope.split(" ").toSorted(), [
        "mcp:basic",
        "mcp:write",
      ]);
      check("the user is asked twice", visits(rig), 2);
    },
  },
  rejection("auth/pkce-no-support", {
    revisions,
    clause: { page: "2025-11-25/basic/authorization#authorization-code-protection" },
    scripts: {
      "an authorization server that does not mention PKCE": without("code_challenge_methods_supported"),
      "one with plain challenges only": changeServer({ code_challenge_methods_supported: ["plain"] }),
    },
    code: "pkce-unsupported",
  }),
  rejection("auth/metadata-issuer-mismatch", {
    revisions: ["2025-11-25", "2025-06-18"],
    clause: {
      page: "2026-07-28/basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery",
      sep: 2468,
    },
    note: "the suite has it for 2026-07-28.",
    scripts: {
      "metadata of another issuer": changeServer({ issuer: "https://attacker.example.com" }),
      "metadata of no issuer": without("issuer"),
    },
    code: "issuer-mismatch",
    // Such a document counts as missing. No other place has one.
    codes: { "metadata of no issuer": "metadata" },
  }),
  rejection("auth/resource-mismatch", {
    revisions: ["2025-11-25", "2025-06-18"],
    clause: { page: "2025-11-25/basic/authorization#resource-parameter-implementation" },
    note: "the suite has it for 2026-07-28.",
    scripts: {
      "metadata of another resource": {
        resourceMetadata: (document) => ({ ...document, resource: "https://evil.example.com/mcp" }),
      },
    },
    code: "resource-mismatch",
  }),
];

interface Rejection {
  readonly revisions: readonly RevisionId[];
  readonly clause: Scenario<ClientScene>["clause"];
  readonly note?: string;
  readonly scripts: Readonly<Record<string, Script>>;
  /** Code of the error that the program gets. */
  readonly code: string;
  /** Codes of scripts that lead to another error, by name. */
  readonly codes?: Readonly<Record<string, string>>;
}

/** Scenario in which a client must stop before it sends its user anywhere. */
function rejection(id: string, { scripts, code, codes = {}, ...facts }: Rejection): Scenario<ClientScene> {
  return {
    ...facts,
    id,
    side: "client",
    async run(scene) {
      for (const [name, script] of Object.entries(scripts)) {
        const { rig, call } = await signIn(scene, script);
        scene.check(`${name}: the client fails`, await call().catch((error: unknown) => error), {
          name: "AuthError",
          code: codes[name] ?? code,
        });
        const paths = rig.paths("as").filter((path) => !path.startsWith("/.well-known/"));
        scene.check(`${name}: nothing is registered, authorized or exchanged`, paths, []);
      }
    },
  };
}

interface SignedIn {
  readonly rig: Rig;
  /** Calls a tool, in a session that is opened by the first call. */
  readonly call: () => Promise<unknown>;
}

/** Starts a protected server with its authorization server, and a client of both. */
async function signIn({ revision, onEnd, connect }: ClientScene, script: Script): Promise<SignedIn> {
  const rig = await serveRig({
    ...script,
    first: (seen, places) => script.first?.(seen, places) ?? serveAuthorized(script, revision, { seen, places }),
  });
  onEnd(() => rig.close());
  const redirect = createHeadlessRedirect();
  const auth = createOAuthProvider(rig.url, { grant: authorizationCode({ redirect, client: { name: "scenario" } }) });
  let session: Awaited<ReturnType<ClientScene["connect"]>> | undefined;
  return {
    rig,
    async call() {
      session ??= await connect(rig.url, {}, { auth });
      return session.callTool("anything");
    },
  };
}

interface Request {
  readonly seen: Seen;
  readonly places: Places;
}

/** Responds to a request with a valid token; the rig rejects the others. */
function serveAuthorized(script: Script, revision: RevisionId, { seen, places }: Request): Said | undefined {
  const [, token = ""] = (seen.headers.authorization ?? "").split(" ");
  const isAuthorized = seen.where === "mcp" && seen.path === "/mcp" && places.valid.has(token);
  if (!isAuthorized || script.guard?.(token, seen, places)) return undefined;
  if (seen.method !== "POST") return { status: 405 };
  const message: Received["message"] = JSON.parse(seen.body);
  if (message.id === undefined) return { status: 202 };
  const result = complete(revision, findUsual({}, revision, message));
  return { body: { jsonrpc: "2.0", id: message.id, result } };
}

function changeServer(members: object): Script {
  return { serverMetadata: (document) => ({ ...document, ...members }) };
}

function toMetadata(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

function visits(rig: Rig): number {
  return rig.paths("as").filter((path) => path === "/authorize").length;
}
