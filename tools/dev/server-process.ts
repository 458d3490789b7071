import { isObject } from "../../generated/support.ts";
import { systemClock } from "../../runtime/internal/timers.ts";
import { keepStdout } from "../../runtime/transport/stdio/stdout.ts";
import { copyOutput } from "./copy-output.ts";
import { createDevFunctions, type DevFunctions } from "./dev-functions.ts";
import { DevHost } from "./dev-host.ts";
import { report } from "./report.ts";

/*
 * Program of the process that serves while sources change. Its parent bundles each version of the module of the user, and sends its URL. Until a
 * transport is known, stdout belongs to the protocol.
 */

/** Message to the parent. */
type HostMessage =
  | { readonly kind: "loaded"; readonly url: string; readonly outcome: string }
  | { readonly kind: "served" }
  | { readonly kind: "listening"; readonly address?: string }
  | { readonly kind: "output"; readonly text: string };

const host = new DevHost({
  report,
  served() {
    report("watching for changes; clients stay connected when a file is saved");
    send({ kind: "served" });
    // From now on the listener keeps the process alive, or stdin does.
    process.channel?.unref();
  },
  unserved() {
    // The next version may be served.
    process.channel?.ref();
  },
  listening(address) {
    send({ kind: "listening", ...(address !== undefined && { address }) });
  },
  closed() {
    // Timers of the program would keep the process alive.
    if (!process.connected) systemClock.after(longestEnd, () => process.exit());
  },
});

/** Milliseconds for what a program does after its server has been closed. */
const longestEnd = 500;

/** Creates the functions in place of the runtime's, for the bundle with this URL. */
export function createFunctions(url: string): DevFunctions {
  return createDevFunctions(host, url);
}

if (process.connected) followParent();

function followParent(): void {
  keepStdout();
  copyOutput((text, resume) => send({ kind: "output", text }, resume));
  process.on("message", (message) => void receive(message));
  process.on("disconnect", () => {
    // Every platform has this way to end in order, unlike signals from another process.
    if (process.listenerCount("SIGTERM") > 0) process.emit("SIGTERM", "SIGTERM");
    else process.exit();
  });
}

async function receive(message: unknown): Promise<void> {
  if (!isObject(message) || typeof message.url !== "string") return;
  const { url } = message;
  send({ kind: "loaded", url, outcome: await host.load(url) });
}

/**
 * Sends a message, unless the parent has closed the channel, which may be noticed later. Returns false if it has to wait.
 *
 * @param onSent - Called when it was sent, or could not be
 */
function send(message: HostMessage, onSent: () => void = () => {}): boolean | undefined {
  return process.connected ? process.send?.(message, undefined, undefined, onSent) : undefined;
}
