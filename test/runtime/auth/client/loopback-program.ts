import {
  authorizationCode,
  createLoopbackRedirect,
  createOAuthProvider,
} from "../../../../runtime/auth/client/index.ts";
import { createEndpoint } from "../../../../runtime/transport/http-client/endpoint.ts";

/* Program that sends one request, and aborts it during the sign-in if it is told to. */

const [, , url = "", mode] = process.argv;
const controller = new AbortController();

const redirect = createLoopbackRedirect({
  open: async (page) => {
    console.log(page.href);
    if (mode === "abort") setImmediate(() => controller.abort());
  },
});

const auth = createOAuthProvider(url, { grant: authorizationCode({ redirect, client: { name: "test" } }) });
const { signal } = controller;

try {
  const sent = { method: "POST", headers: {}, body: "{}", signal } as const;
  console.log((await createEndpoint(new URL(url), { auth }).request(sent)).status);
} catch (error) {
  console.log(error instanceof Error ? error.name : error);
}
