/** Guide of this package. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  /** What a reader can do after the guide, from the index of the guides. */
  readonly use: string;
  /** True for pages to look things up in, rather than to read. */
  readonly isReference: boolean;
  readonly text: string;
}

/** Section of a guide with all words of a search. */
export interface FoundSection {
  readonly guide: Guide;
  readonly heading: string;
  readonly score: number;
}

/**
 * Returns the sections with all words, the best first. Words in titles and descriptions count more than words in headings, and these more than text.
 */
export function findSections(guides: readonly Guide[], words: readonly string[]): readonly FoundSection[] {
  return guides.flatMap((guide) => sectionsWith(guide, words)).sort((a, b) => b.score - a.score);
}

function sectionsWith(guide: Guide, words: readonly string[]): readonly FoundSection[] {
  const sections = guide.text.split(/^(?=#{1,3} )/m);
  const matching = sections.filter((section) => words.every((word) => section.toLowerCase().includes(word)));
  return matching.map((section) => {
    const heading = /^#+ (.+)/.exec(section)?.[1] ?? "";
    const sum = words.reduce((total, word) => total + scoreOf(word, { guide, heading, section }), 0);
    return { guide, heading, score: guide.isReference ? sum / 4 : sum };
  });
}

function scoreOf(
  word: string,
  { guide, heading, section }: { readonly guide: Guide; readonly heading: string; readonly section: string },
): number {
  const inDescription = countOf(word, `${guide.title} ${guide.use}`) > 0 ? 8 : 0;
  const inHeading = countOf(word, heading) > 0 ? 4 : 0;
  const times = countOf(word, section);
  // A repeated word says little more, and a part of a word says less.
  return inDescription + inHeading + (times === 0 ? 0.2 : times / (times + 2));
}

/** Counts a word, but not where it is a part of another one. */
function countOf(word: string, text: string): number {
  const isPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\d]/u.test(character);
  const lower = text.toLowerCase();
  let count = 0;
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
    if (!isPart(lower[at - 1]) && !isPart(lower[at + word.length])) count += 1;
  return count;
}
