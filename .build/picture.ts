import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

/*
 * `npm run docs:picture`: runs commands of the README and draws what they print as an SVG, `docs/pictures/terminal.svg`. The picture shows real output:
 * only the address of the temporary folder is replaced, and long outputs end with a line that names the number of further lines.
 */

interface Step {
  /** Command as a user types it. */
  readonly typed: string;
  /** Arguments of the command line. */
  readonly args: readonly string[];
  /** Folder of the command, relative to the temporary one. */
  readonly folder: string;
  /** Maximum number of lines to show. */
  readonly lines: number;
}

const root = join(import.meta.dirname, "..");
const { revisions }: { readonly revisions: Readonly<Record<string, unknown>> } = JSON.parse(
  await readFile(join(root, "spec", "pins.json"), "utf8"),
);
const [oldest = ""] = Object.keys(revisions);
const [previous = "", newest = ""] = Object.keys(revisions).slice(-2);

const steps: readonly Step[] = [
  { typed: "npx create-mcp-server demo --yes", args: ["demo", "--yes", "--no-git"], folder: ".", lines: 12 },
  { typed: "npx create-mcp-server check dist/server.js", args: ["check", "dist/server.js"], folder: "demo", lines: 4 },
  {
    typed: `npx create-mcp-server explain dist/server.js --protocol ${oldest}`,
    args: ["explain", "dist/server.js", "--protocol", oldest],
    folder: "demo",
    lines: 6,
  },
  {
    typed: `npx create-mcp-server diff ${previous} ${newest}`,
    args: ["diff", previous, newest],
    folder: "demo",
    lines: 6,
  },
];

const program = join(root, "dist", "bundle", "generator", "cli.js");
const home = await mkdtemp(join(tmpdir(), "picture-"));
try {
  const shown: Line[] = [];
  for (const step of steps) shown.push(...(await record(step)));
  await mkdir(join(root, "docs", "pictures"), { recursive: true });
  await writeFile(join(root, "docs", "pictures", "terminal.svg"), draw(shown));
} finally {
  await rm(home, { recursive: true, force: true });
}

interface Line {
  readonly kind: "command" | "output";
  readonly text: string;
}

async function record({ typed, args, folder, lines }: Step): Promise<Line[]> {
  const options = { cwd: join(home, folder), env: { ...process.env, NO_COLOR: "1" } };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options);
  const printed = stdout.replaceAll(home, "~").trimEnd().split("\n");
  const rest = printed.length - lines;
  const kept = rest > 1 ? [...printed.slice(0, lines - 1), `… ${rest + 1} more lines`] : printed;
  return [
    { kind: "command", text: typed },
    ...kept.map((text): Line => ({ kind: "output", text })),
    { kind: "output", text: "" },
  ];
}

/** Draws lines of text in a window. The colours suit light and dark pages, because the window has its own background. */
function draw(lines: readonly Line[]): string {
  const columns = Math.max(...lines.map(({ text }) => text.length)) + 2;
  const width = Math.round(Math.min(columns, 110) * 8.4) + 40;
  const height = lines.length * 20 + 60;
  const rows = lines.map(({ kind, text }, at) => {
    const shown = escape(text.slice(0, 110));
    const content = kind === "command" ? `<tspan class="prompt">$ </tspan>${shown}` : shown;
    return `  <text x="20" y="${at * 20 + 60}" class="${kind}">${content}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Output of create-mcp-server in a terminal">
  <style>
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #d4d4d4; }
    .command { fill: #ffffff; font-weight: 600; }
    .prompt { fill: #7ee787; }
  </style>
  <rect width="100%" height="100%" rx="10" fill="#161b22" />
  <circle cx="24" cy="22" r="6" fill="#ff5f56" /><circle cx="44" cy="22" r="6" fill="#ffbd2e" /><circle cx="64" cy="22" r="6" fill="#27c93f" />
${rows.join("\n")}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
