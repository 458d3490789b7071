import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { hasPassed, readResults, type CampaignResult, type Figure } from "./result.ts";

/* `npm run docs:reliability`: writes docs/reliability.md from the saved results of the campaign. */

const page: string = join(import.meta.dirname, "..", "..", "docs", "reliability.md");

/** Parts of the campaign in the order of the page: the name of the result, a title, what is proven, and the command line. */
interface Section {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly command: string;
}
