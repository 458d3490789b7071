import { writePage } from "../kit/docs-page.ts";
import { renderPage } from "./page.ts";
import { readResults } from "./result.ts";

/* `npm run docs:reliability`: writes docs/reliability.md from the saved results of the campaign. */

await writePage("reliability.md", renderPage(readResults()));
