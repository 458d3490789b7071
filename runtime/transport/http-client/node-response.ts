import type { ClientRequest, IncomingMessage } from "node:http";

/**
 * Resolves to the response to a request of `node:http`. Rejects when the request fails, or when the status is one that `Response` does not take: an
 * exception in the event listener would end the process.
 */
export function readNodeResponse(request: ClientRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    // Once the response has begun, its body fails instead.
    request.on("error", reject);
    request.once("response", (message) => {
      // The reader of the body receives the error. Without a reader, it is ignored.
      message.on("error", () => {});
      if (isFinalStatus(message.statusCode)) return resolve(toResponse(message));
      message.destroy();
      reject(new Error(`The server responded with the status ${message.statusCode}, which is not final`));
    });
  });
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 500 } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct))
    for (const value of values) headers.append(name, value);
  if (!bodiless.has(status)) return new Response(toBody(message), { status, headers });
  message.resume();
  return new Response(undefined, { status, headers });
}

function toBody(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = message[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void message.destroy(),
  });
}

/** True for a status that a response can have: others arrive from servers that invent them, or switch to another protocol. */
function isFinalStatus(status = 0): boolean {
  return status >= 200 && status <= 599;
}

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);
