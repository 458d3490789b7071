/** One link of a Markdown text, with the line that it is in. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

/** Returns the targets of links and images, outside of code. */
export function linksOf(text: string): Link[] {
  return proseLines(text).flatMap((content, index) => {
    const links = content
      .replaceAll(/`[^`]*`/g, "``")
      .matchAll(/\]\(<?([^\s)>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)/g);
    return [...links].map(([, inline, definition]) => ({ target: inline ?? definition ?? "", line: index + 1 }));
  });
}

/** Returns the anchors of the headings, as GitHub and the site of the specification derive them, and those of `id` attributes. */
export function anchorsOf(text: string): string[] {
  const counts = new Map<string, number>();
  const headings = proseLines(text).flatMap((line) => /^#{1,6} (.+?)#*$/.exec(line)?.[1] ?? []);
  const anchors = headings.map(toAnchor).map((anchor) => {
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  const ids = [...text.matchAll(/ id="([^"\s]+)"/g)].flatMap(([, id]) => id ?? []);
  return [...new Set([...anchors, ...ids])];
}

/** Returns the anchor of a heading, as GitHub derives it. */
export function toAnchor(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** Returns the lines, with those of code blocks empty. */
function proseLines(text: string): string[] {
  let fence: string | undefined;
  return text.split("\n").map((line) => {
    const mark = /^ *(```+|~~~+)/.exec(line)?.[1];
    const wasOpen = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return wasOpen || mark !== undefined ? "" : line;
  });
}
