import type { MessagePage } from "./layout.ts";
import { capitalize } from "../../generator/internal/text.ts";

type Group = Pick<MessagePage, "file" | "title">;

/** Groups of methods whose names do not begin with their feature. */
const lifecycle: Group = { file: "lifecycle.md", title: "Lifecycle" };
const progress: Group = { file: "progress.md", title: "Progress and cancellation" };
const logging: Group = { file: "logging.md", title: "Logging" };

const groups: ReadonlyMap<string, Group> = new Map([
  ["initialize", lifecycle],
  ["notifications/initialized", lifecycle],
  ["server/discover", lifecycle],
  ["ping", lifecycle],
  ["notifications/cancelled", progress],
  ["notifications/progress", progress],
  ["notifications/message", logging],
]);

/** Returns the page of a method of the core. Most methods begin with the name of their feature: `tools/call`. */
export function groupOf(method: string): Group {
  const known = groups.get(method);
  if (known) return known;
  const [feature = method] = method.replace(/^notifications\//, "").split("/");
  return { file: `${feature}.md`, title: capitalize(feature) };
}
