import { onGithub, type AdvisoryClass } from "../advisory-class.ts";

const http = "runtime/transport/http-server";
const python = "modelcontextprotocol/python-sdk";

/** Attacks on the separation of clients, and on the service for all of them. */
export const sessions: readonly AdvisoryClass[] = [
  {
    title: "Responses to the wrong client",
    attack:
      "Two clients use the same ids at a server that shares one object between them, and one receives what the other requested.",
    defence:
      "A definition has no connection: each session, each stateless request and each connection of the gateway has its own. Ids of requests are looked up only there.",
    advisories: [
      onGithub("", ["GHSA-345p-7cg4-v4c7", "CVE-2026-25536"], "TypeScript SDK", "2026-02-04"),
      onGithub(
        "modelcontextprotocol/typescript-sdk",
        ["GHSA-jm63-cq47-j5jp", "CVE-2026-111770"],
        "TypeScript SDK, requests that share a server or a stateless transport",
        "2026-11-05",
      ),
      onGithub("", ["GHSA-w2fm-25vw-vh7f"], "mcp-handler", "2026-04-01"),
      onGithub(
        "",
        ["GHSA-pjp5-fpmr-3349", "CVE-2026-48529"],
        "GitHub MCP server, client shared by users",
        "2026-06-25",
      ),
    ],
    tests: [
      [
        `${http}/advisories.test.ts`,
        "two clients with equal ids get their own responses and messages in sessions, whichever is first",
      ],
      [`${http}/advisories.test.ts`, "two clients with equal ids get their own responses without sessions"],
      ["advisories/equal-ids.test.ts", "clients with equal ids get their own responses and progress through %s at %s"],
      ["runtime/gateway/gateway.test.ts", "many clients without a session get responses concurrently, each its own"],
      [
        "runtime/gateway/connections.program.test.ts",
        "state of a connection is visible to calls of the principal that has set it, and of no other",
      ],
      [
        "runtime/client/lists/result-cache.test.ts",
        "a client with several users does not keep a private result when the user changes meanwhile (C-065)",
      ],
    ],
  },
  {
    title: "Sessions, events and tasks of others",
    attack: "A caller who learns or guesses the id of a session, an event or a task uses it.",
    defence:
      "Ids of sessions have 128 random bits, and no id is a credential: sessions, streams, events and tasks belong to the principal that opened them, and are unknown to every other.",
    advisories: [
      onGithub("", ["GHSA-qvqr-5cv7-wh35", "CVE-2026-33946"], "Ruby SDK", "2026-03-27"),
      onGithub("", ["GHSA-5p9g-j988-pcwv", "CVE-2026-67431"], "Ruby SDK", "2026-07-30"),
      onGithub("", ["GHSA-jpw9-pfvf-9f58", "CVE-2026-52869"], "Python SDK", "2026-07-16"),
      onGithub(python, ["GHSA-hvrp-rf83-w775", "CVE-2026-52870"], "Python SDK, tasks", "2026-06-05"),
      onGithub("modelcontextprotocol/typescript-sdk", ["GHSA-22jm-h49p-29qw"], "TypeScript SDK, tasks", "2026-10-02"),
      onGithub("agentfront/frontmcp", ["GHSA-84j6-jc92-77jm"], "FrontMCP, events"),
      onGithub("agentgateway/agentgateway", ["GHSA-mvgg-jvj2-4frq"], "agentgateway", "2026-07-27"),
      {
        ids: ["CVE-2025-6515"],
        product: "oatpp-mcp, ids that can be guessed",
        date: "2025-10-21",
        source: "https://jfrog.com/blog/mcp-prompt-hijacking-vulnerability/",
      },
    ],
    tests: [
      [`${http}/advisories.test.ts`, "an id of another principal shows no event, and does not move the streams"],
      [
        `${http}/resumption.test.ts`,
        "resumption never shows events of another stream, to another session, or to another principal (T-45, R41, trap 7)",
      ],
      [
        `${http}/validate-request.test.ts`,
        "authentication owns the session: it is unknown to other principals, and its id is no proof (SEC-01, R38, trap 7)",
      ],
      ["runtime/auth/server/attacks.test.ts", "a session rejects %s of another user with 404 (R38)"],
      ["runtime/auth/server/two-users.test.ts", "a task is unknown to another user, and in no list of theirs (R48)"],
      ["runtime/auth/server/two-users.test.ts", "an input request of a user accepts no response of another user"],
      ["runtime/gateway/tasks.test.ts", "a principal has its own tasks only, of a server with tasks %s (XT-19)"],
      [
        "advisories/gateway.test.ts",
        "a session of a gateway is unknown to another principal, and its id is not that of the server",
      ],
      ["advisories/server.test.ts", "ids of sessions have 128 random bits"],
    ],
  },
  {
    title: "Memory and connections without bound",
    attack: "A peer opens sessions and abandons them, sends a body, line or event without end, or does not read.",
    defence:
      "What a peer can cause to be kept has a limit: sessions, bodies, lines, values, events for a resumption and bytes that wait for a reader. Sessions end when they are not used, and a rejected request opens none.",
    advisories: [
      onGithub("", ["GHSA-52jp-gj8w-j6xh", "CVE-2026-67430"], "Ruby SDK, sessions", "2026-07-30"),
      onGithub(python, ["GHSA-84m7-p3x7-pcfv", "CVE-2026-59951"], "Python SDK, sessions", "2026-09-30"),
      onGithub(
        "modelcontextprotocol/rust-sdk",
        ["GHSA-9pj6-vhgr-3mwh", "CVE-2026-63128"],
        "Rust SDK, sessions of invalid requests",
        "2026-09-16",
      ),
      onGithub("", ["GHSA-h669-8m4g-r2hc", "CVE-2026-67432"], "Ruby SDK, bodies", "2026-07-30"),
      onGithub(python, ["GHSA-fmmv-w9g8-j3gc"], "Python SDK, bodies", "2026-09-30"),
      onGithub(
        "modelcontextprotocol/kotlin-sdk",
        ["GHSA-74gp-qhv5-v493", "CVE-2026-53937"],
        "Kotlin SDK, lines",
        "2026-09-08",
      ),
      onGithub("", ["GHSA-7683-3w9x-ch42", "CVE-2026-63119"], "Ruby SDK, lines", "2026-07-30"),
      onGithub(
        "modelcontextprotocol/php-sdk",
        ["GHSA-7m52-jw36-44r3", "CVE-2026-53965"],
        "PHP SDK, events",
        "2026-08-14",
      ),
    ],
    tests: [
      [`${http}/sessions.test.ts`, "a session is rejected above the limit (R38)"],
      [`${http}/sessions.test.ts`, "an idle session ends after its time, one in use does not (T-54, trap 22)"],
      [`${http}/http-server.test.ts`, "an invalid first request opens no session"],
      [`${http}/validate-request.test.ts`, "a server rejects a body of more than 4 MiB by default (R34)"],
      [
        `${http}/validate-request.test.ts`,
        "a body is rejected that is too long although its length was not declared (R34)",
      ],
      ["runtime/framing/ndjson.test.ts", "a line over the limit is reported once and skipped, in chunks of %i bytes"],
      ["runtime/transport/tcp/tcp.test.ts", "a line over the limit gets one response and is skipped (R24)"],
      [
        "runtime/framing/sse-events.test.ts",
        "the event decoder skips an event over the limit, which it reports once (R50)",
      ],
      ["runtime/framing/long-input.test.ts", "a message with too many values is a problem with its envelope (R10)"],
      [
        "runtime/stores/event-store.test.ts",
        "events of all owners together stay within the bound, whatever their number",
      ],
      [
        `${http}/client-faults.test.ts`,
        "a client that does not read is disconnected when the handler does not wait (R25, R66)",
      ],
      ["runtime/transport/tcp/tcp.test.ts", "a client that does not read its responses is disconnected (R25)"],
      [
        "runtime/transport/websocket/websocket.test.ts",
        "a client disconnects a server that sends more than the limit (R50)",
      ],
    ],
  },
  {
    title: "Crashes by invalid messages",
    attack:
      "A request without the members that a handler reads, or a client that disconnects at the wrong time, ends the server.",
    defence:
      "Every message is checked by the generated validators of its revision before a handler sees it. An error of a handler is a response, and a client that disconnects affects no other.",
    advisories: [
      onGithub("", ["GHSA-3qhf-m339-9g5v", "CVE-2025-53366"], "Python SDK", "2025-07-04"),
      onGithub("", ["GHSA-j975-95f5-7wqh", "CVE-2025-53365"], "Python SDK", "2025-07-04"),
      onGithub("", ["GHSA-w4q6-qw23-4rg7", "CVE-2026-47427"], "GitHub MCP server", "2026-07-28"),
    ],
    tests: [
      [`${http}/advisories.test.ts`, "an invalid or abandoned request affects no session"],
      ["runtime/protocol/hostile-handlers.test.ts", "a handler %s is an internal error, without its message"],
      [
        "generated/hostile.program.test.ts",
        "checks end at 200,000 levels of %s without overflow, and reject them where types recurse",
      ],
    ],
  },
  {
    title: "Work without bound for a small message",
    attack: "A short text lets a pattern, a template or a schema run for hours.",
    defence:
      "URI templates match in linear time. Patterns run only where linear time is proven, or in an engine that guarantees it. Evaluations of a schema have a limit, and so have the items of a list that are compared with each other.",
    advisories: [onGithub("", ["GHSA-8r9q-7v3j-jr4g", "CVE-2026-0621"], "TypeScript SDK, URI templates", "2026-01-05")],
    tests: [
      [
        "runtime/server/resources/uri-template/uri-template.test.ts",
        "matching hostile input takes linear time with %s (CVE-2026-0621)",
      ],
      [
        "runtime/adapters/patterns.test.ts",
        "a validator reports a pattern that could be slow, and does not enforce it",
      ],
      ["runtime/adapters/patterns.test.ts", "a validator enforces a slow pattern with a linear-time engine"],
      ["runtime/adapters/patterns.test.ts", "patterns that are known to be slow do not block the event loop"],
      ["runtime/adapters/evaluation-limit.test.ts", "a validator ends the check of %s"],
      [
        "runtime/adapters/evaluation-limit.test.ts",
        "a validator compares the items of a list of any length, wherever it is",
      ],
      ["generator/typed-client/check.test.ts", "alternatives that refer to themselves check each value once: %s"],
      ["advisories/server.test.ts", "a small call that multiplies the work of %s does not keep the server from others"],
    ],
  },
  {
    title: "Names that one parser reads otherwise than another",
    attack:
      "A member name in other letter case, with a NUL, or twice, passes a filter in front of the server and means something else behind it.",
    defence: "Names are compared exactly, and an envelope with a member twice is rejected.",
    advisories: [
      onGithub("", ["GHSA-wvj2-96wp-fq3f", "CVE-2026-27896"], "Go SDK", "2026-02-26"),
      onGithub("", ["GHSA-q382-vc8q-7jhj"], "Go SDK", "2026-03-19"),
    ],
    tests: [
      [`${http}/advisories.test.ts`, "a similar member name is ignored in %j"],
      ["runtime/framing/json.test.ts", "a duplicate protocol member is found in %s"],
    ],
  },
  {
    title: "Prototypes of objects",
    attack:
      "A peer names a member `__proto__` or `constructor`, and a merge or a look-up reaches the prototype of all objects.",
    defence:
      "In a message, such a member is a member like any other; generated code does not have it. A method with such a name is unknown.",
    advisories: [
      {
        ids: ["vercel/ai #14309"],
        product: "AI SDK, MCP transports (report)",
        date: "2026-04-10",
        source: "https://github.com/vercel/ai/issues/14309",
      },
    ],
    tests: [
      ["runtime/framing/json.test.ts", "a member named __proto__ is a member (R9)"],
      ["runtime/internal/merge.test.ts", "a member named __proto__ of the %s stays a member (R9)"],
      [
        "generated/hostile.program.test.ts",
        "checks treat `__proto__` as a key like any other: nothing is inherited through it and no prototype changes",
      ],
      [
        "generator/typed-client/read-schema.test.ts",
        "`readSchema` removes keys that change prototypes, and changes no prototype",
      ],
      [
        "runtime/client/connect.test.ts",
        "a method that the revision does not have is rejected by the client, also by a name of the prototype",
      ],
    ],
  },
];
