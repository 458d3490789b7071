/** Returns the text of the landing page: the README from its first section up to the list of further links, with addresses for the folder `docs/`. */
export function landingText(readme: string): string {
  const text = readme.slice(readme.indexOf("\n## "), readme.indexOf("\n## What else there is"));
  return text.replaceAll("](docs/", "](").replaceAll('"docs/', '"./');
}
