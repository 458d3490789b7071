import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** Starts the browser of the machine, or the one that `CHROMIUM` names. */
export function startBrowser(): Promise<Browser> {
  const places = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const executablePath = process.env["CHROMIUM"] ?? places.find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error(
      "There is no Chromium: install the package chromium-headless-shell, or name a program in CHROMIUM.",
    );
  }
  // The sandbox of a browser wants rights that containers lack; the pages are ours.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
