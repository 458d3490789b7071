import { spawn } from "node:child_process";

/** Opens an address in the browser of the user. A system without one is no error: the address was printed. */
export function openPage(url: string): void {
  const [command, ...args] = launchers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

const launchers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};
