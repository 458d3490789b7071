import { spawn } from "node:child_process";
import { AuthError } from "../errors.ts";

/** Shows a URL to the user. Rejects if this is not possible. */
export type OpenUrl = (url: URL) => Promise<void>;

/**
 * Opens a URL in the user's browser. Uses no shell and opens only web pages, because URLs come from servers.
 *
 * @example
 * ```ts
 * import { createLoopbackRedirect, openBrowser } from "mcp-server-runtime/auth/client";
 *
 * const redirect = createLoopbackRedirect({ open: openBrowser, onUrl: (url) => console.error(`Sign in: ${url}`) });
 * ```
 */
export const openBrowser: OpenUrl = (url) => {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return Promise.reject(
      new AuthError("unsafe-url", `The URL scheme ${url.protocol} cannot be opened in a browser; use https:`),
    );
  }
  const [command, args] = findOpener(process.platform);
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, url.href], { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", () =>
      reject(new AuthError("authorization-incomplete", `The browser could not be opened; install ${command}`)),
    );
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
};

/** Returns the program to open URLs with, and the arguments before the URL. */
export function findOpener(platform: NodeJS.Platform): readonly [command: string, args: readonly string[]] {
  switch (platform) {
    case "darwin":
      return ["open", []];
    case "win32":
      // The full path is necessary: Windows would search the working directory first.
      return [`${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\rundll32.exe`, ["url.dll,FileProtocolHandler"]];
    default:
      return ["xdg-open", []];
  }
}
