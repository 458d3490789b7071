import { watch, type FSWatcher } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { startTimer, type Cancel } from "../../runtime/internal/timers.ts";

/** Watches the folders of sources. Notices a change at once, whereas esbuild looks at files one after the other. */
export class SourceWatcher {
  readonly #onChange: () => void;
  readonly #folders = new Map<string, FSWatcher>();
  #timer: Cancel | undefined;
  #isClosed = false;

  /** @param onChange - Called shortly after a change, once for several changes together */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches the folders of these files as well, except those of packages. Does nothing once closed: a build may end later. */
  add(files: Iterable<string>): void {
    if (this.#isClosed) return;
    for (const file of files) {
      const folder = dirname(resolve(file));
      if (this.#folders.has(folder) || `${folder}${sep}`.includes(`${sep}node_modules${sep}`)) continue;
      this.#watch(folder);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#notice());
      // A folder that was removed, for example. esbuild watches its files, too.
      watcher.on("error", () => this.#forget(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // The system watches no more folders: esbuild still notices changes, later.
    }
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }

  #notice(): void {
    this.#timer?.();
    this.#timer = startTimer(quietTime, this.#onChange);
  }
}

/** Milliseconds without a change after which the sources are built: editors write a file in several steps. */
const quietTime = 20;
