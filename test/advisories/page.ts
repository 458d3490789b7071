import { escapeText } from "../kit/docs-page.ts";
import type { Advisory, AdvisoryClass, TestReference } from "./advisory-class.ts";
import { authorization } from "./classes/authorization.ts";
import { sessions } from "./classes/sessions.ts";
import { tools } from "./classes/tools.ts";
import { webPages } from "./classes/web-pages.ts";

/** All classes, by the place of the attacker. */
export const classes: readonly AdvisoryClass[] = [...webPages, ...authorization, ...sessions, ...tools];

/** Renders the page about advisories. */
export function renderPage(): string {
  const count = new Set(classes.flatMap(({ advisories }) => advisories.map(({ source }) => source))).size;
  return `# Advisories

<!-- Written by \`npm run docs:advisories\`. Do not edit. -->

${count} published advisories about official SDKs, popular servers, clients, gateways and inspectors, in ${classes.length} classes. For each class, tests play the attack
against the server, the client, the gateway or the generator of this project. \`npm test\` and \`npm run test:browser\` run them. A new advisory belongs in \`test/advisories/\`.

[Security](security.md) describes the limits and their defaults. Advisories about instructions to models in texts of servers are not listed: no library can decide which texts a model follows.

${classes.map(renderClass).join("\n")}
## Not in a class

[CVE-2026-115563](https://nvd.nist.gov/vuln/detail/CVE-2026-115563) concerns clients with the Python SDK (November 2026). Its details were not available when this page was written, nor those
of [CVE-2026-111768](https://nvd.nist.gov/vuln/detail/CVE-2026-111768).
`;
}

function renderClass({ title, attack, defence, advisories, tests }: AdvisoryClass): string {
  const listed = advisories.length === 0 ? "None is published for MCP." : advisories.map(renderAdvisory).join("\n");
  return `## ${title}

**Attack.** ${attack}

**Here.** ${defence}

${listed}

Tests:

${tests.map(renderTest).join("\n")}
`;
}

function renderAdvisory({ ids: [name = "", ...others], product, date, source }: Advisory): string {
  const rest = [...others, ...(date === undefined ? [] : [date])].join(", ");
  return `- ${product}: [${name}](${source})${rest === "" ? "" : `, ${rest}`}`;
}

function renderTest([file, title]: TestReference): string {
  return `- \`test/${file}\`: ${escapeText(title)}`;
}
