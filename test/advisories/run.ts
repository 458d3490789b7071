import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { renderPage } from "./page.ts";

/* Writes `docs/advisories.md`. */
const page = join(import.meta.dirname, "..", "..", "docs", "advisories.md");
writeFileSync(page, await format(renderPage(), { parser: "markdown", printWidth: 120 }));
