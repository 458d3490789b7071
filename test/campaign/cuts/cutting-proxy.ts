import { connect, type Socket } from "node:net";
import type { Random } from "../../kit/random.ts";
import { listenLocally, type LocalServer } from "../../cluster/processes/proxy.ts";

/** Proxy that breaks connections off in the middle of streams. */
export interface CuttingProxy extends LocalServer {
  /** Connections that were broken off. */
  readonly cuts: number;
}

/** Cuts of a proxy. */
export interface CutOptions {
  readonly port: number;
  readonly random: Random;
  /** Most bytes from the moment at which a stream may be cut to the cut. */
  readonly mostBytes: number;
  /** False to cut responses to POST before their first event id as well. */
  readonly needsId: boolean;
}

/**
 * Starts a proxy in front of an HTTP server. A stream of events is cut after a random number of bytes, also within an event or a character, and also
 * between two events. With `needsId`, the response to a POST passes up to its first event id: without one, no client can resume.
 */
export async function startCuttingProxy({ port, random, mostBytes, needsId }: CutOptions): Promise<CuttingProxy> {
  let cuts = 0;
  const local = await listenLocally((client, track) => {
    const server = connect(port, "127.0.0.1");
    track(server);
    const stream = new StreamWatch({ draw: () => Math.floor(random() * mostBytes), needsId });
    client.on("data", (chunk: Buffer) => {
      stream.request(chunk);
      server.write(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      const length = stream.respond(chunk);
      if (length === undefined) return void client.write(chunk);
      cuts += 1;
      // The bytes before the cut arrive: a reset would discard them.
      client.write(chunk.subarray(0, length), () => client.destroy());
      server.destroy();
    });
    closeTogether(client, server);
  });
  return {
    ...local,
    get cuts() {
      return cuts;
    },
  };
}

function closeTogether(client: Socket, server: Socket): void {
  client.on("close", () => server.destroy());
  server.on("end", () => client.end());
  client.on("end", () => server.end());
}

interface WatchOptions {
  /** Returns the number of bytes before a cut. */
  readonly draw: () => number;
  readonly needsId: boolean;
}

/** Follows the responses of a connection up to the byte at which it is cut. */
class StreamWatch {
  readonly #options: WatchOptions;
  #isGet = false;
  #isStream = false;
  #head = "";
  #left: number | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Takes bytes of the client: a request begins the next response. */
  request(chunk: Buffer): void {
    const start = chunk.toString("latin1", 0, 5);
    if (!/^(GET|POST|DELET)/.test(start)) return;
    this.#isGet = start.startsWith("GET");
    this.#isStream = false;
    this.#head = "";
    this.#left = undefined;
  }

  /** Takes bytes of the server. Returns how many of them pass before the cut, or nothing if all do. */
  respond(chunk: Buffer): number | undefined {
    if (this.#left === undefined) {
      this.#head += chunk.toString("latin1");
      const safe = this.#findSafe();
      if (safe === undefined) return undefined;
      this.#left = safe - (this.#head.length - chunk.length) + this.#options.draw();
    }
    this.#left -= chunk.length;
    return this.#left < 0 ? chunk.length + this.#left : undefined;
  }

  /** Returns the number of bytes of the response that have to pass, once they have arrived. */
  #findSafe(): number | undefined {
    this.#isStream ||= /\r\ncontent-type: text\/event-stream/i.test(this.#head);
    if (!this.#isStream) return undefined;
    const needsId = this.#options.needsId && !this.#isGet;
    const found = (needsId ? /\nid: [^\n]+\n(?:[^\n]+\n)*\n/ : /\r\n\r\n/).exec(this.#head);
    return found === null ? undefined : found.index + found[0].length;
  }
}
