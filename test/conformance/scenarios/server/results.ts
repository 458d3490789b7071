import { page, openFeatures, startStructured } from "../features.ts";
import type { Peer } from "../peer.ts";
import type { Scenario } from "../scenario.ts";
import type { ServerScene } from "../subjects.ts";

/** Scenarios about results of tools, and about pages that the user is sent to. */
export const resultScenarios: readonly Scenario<ServerScene>[] = [
  {
    id: "sep-2106-structured-content",
    side: "server",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/server/tools#structured-content", sep: 2106 },
    async run(scene) {
      const { check, open } = scene;
      const peer = await open({ url: await startStructured(scene) });
      const listed = await peer.post(peer.build(1, "tools/list"));
      const calls = await Promise.all(
        ["array", "number", "object"].map((kind, index) => call(peer, index + 2, `test_structured_${kind}`)),
      );
      const schemas = findSchemas(listed.messages[0]);
      check(
        "an object is structured content",
        [schemas.test_structured_object, calls[2]],
        [
          { type: "object" },
          { result: { structuredContent: { count: 42 }, content: [{ type: "text", text: '{"count":42}' }] } },
        ],
      );
      check("an output schema may be a list", schemas.test_structured_array, { type: "array" });
      check("a list is structured content", calls[0], {
        result: {
          structuredContent: [{ day: "Monday", degrees: 21 }],
          content: [{ type: "text", text: '[{"day":"Monday","degrees":21}]' }],
        },
      });
      check("an output schema may be a number", schemas.test_structured_number, { type: "number" });
      check("a number is structured content", calls[1], {
        result: { structuredContent: 42, content: [{ type: "text", text: "42" }] },
      });
    },
  },
  {
    id: "elicitation-url",
    side: "server",
    revisions: ["2025-11-25"],
    clause: { page: "2025-11-25/client/elicitation#url-mode-elicitation-requests", sep: 1036 },
    async run(scene) {
      const { check } = scene;
      const { peer } = await openFeatures(scene, { capabilities: { elicitation: { url: {} } } });
      for (const action of ["accept", "decline", "cancel"]) {
        const stream = await peer.stream(peer.buildCall(action, "test_elicitation_url"));
        const request = await stream.message();
        check(`the user is sent to a page, and answers ${action}`, request, {
          method: "elicitation/create",
          params: { ...page, elicitationId: isText },
        });
        await peer.post({ jsonrpc: "2.0", id: request.id, result: { action } });
        check(`the tool gets ${action}`, await stream.message(), { id: action, result: said(action) });
      }
      check("an error lists the pages that come first", await call(peer, 1, "test_elicitation_required"), {
        error: { code: -32042, data: { elicitations: [{ ...page, elicitationId: "page-1" }] } },
      });
      await checkRejections(scene, peer, { status: 200, messages: [{ result: { isError: true } }] });
    },
  },
  {
    id: "elicitation-url",
    side: "server",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/client/elicitation#url-mode-elicitation-requests", sep: 1036 },
    async run(scene) {
      const { check } = scene;
      const { peer } = await openFeatures(scene, { capabilities: { elicitation: { url: {} } } });
      for (const action of ["accept", "decline", "cancel"]) {
        const requested = await call(peer, 1, "test_elicitation_url");
        check("the user is sent to a page, without an id", requested, {
          result: {
            resultType: "input_required",
            inputRequests: {
              "elicit-1": { method: "elicitation/create", params: { ...page, elicitationId: undefined } },
            },
          },
        });
        const inputResponses = { "elicit-1": { action } };
        const result = await call(peer, 2, "test_elicitation_url", { inputResponses, ...readState(requested) });
        check(`the tool gets ${action}`, result, { result: { resultType: "complete", ...said(action) } });
      }
      await checkRejections(scene, peer, {
        status: 400,
        messages: [{ error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } } }],
      });
    },
  },
];

function said(action: string): object {
  return { content: [{ type: "text", text: `The user chose ${action}.` }] };
}

async function call(peer: Peer, id: number, name: string, more: object = {}): Promise<unknown> {
  return (await peer.post(peer.buildCall(id, name, more))).messages[0];
}

/** Checks that clients without the mode of URLs are not sent to a page. */
async function checkRejections({ check, open }: ServerScene, { url }: Peer, expected: object): Promise<void> {
  for (const elicitation of [{}, { form: {} }]) {
    const peer = await open({ url, capabilities: { elicitation } });
    const rejected = await peer.post(peer.buildCall(1, "test_elicitation_url"));
    check(`a client that declares ${JSON.stringify(elicitation)} is not sent to a page`, rejected, expected);
  }
}

function readState(message: unknown): object {
  const { result }: { readonly result?: { readonly requestState?: unknown } } = Object(message);
  return result?.requestState === undefined ? {} : { requestState: result.requestState };
}

function findSchemas(message: unknown): Readonly<Record<string, unknown>> {
  const { result }: { readonly result?: { readonly tools?: readonly Listed[] } } = Object(message);
  return Object.fromEntries((result?.tools ?? []).map(({ name, outputSchema }) => [name, outputSchema]));
}

interface Listed {
  readonly name: string;
  readonly outputSchema?: unknown;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
