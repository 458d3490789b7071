import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { renderPage } from "./page.ts";
import { readResults } from "./result.ts";

/* `npm run docs:reliability`: writes docs/reliability.md from the saved results of the campaign. */

const page = join(import.meta.dirname, "..", "..", "docs", "reliability.md");
writeFileSync(page, await format(renderPage(readResults()), { parser: "markdown", printWidth: 120 }));
