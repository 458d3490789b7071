import { writePage } from "../kit/docs-page.ts";
import { renderPage } from "./page.ts";

/* `npm run docs:advisories`: writes docs/advisories.md. */

await writePage("advisories.md", renderPage());
