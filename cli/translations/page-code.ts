// What a page and its translation have in common: headings, code, rows of tables and figures.

interface Section {
  heading: string
  level: number
  text: string
}

const BLOCK = /^```.*\n[\s\S]*?^```$/gm

/** The page with the code blocks of another; as it is, if they are not as many. */
export function replaceBlocks(text: string, other: string): string {
  const blocks = other.match(BLOCK) ?? []
  if (text.match(BLOCK)?.length !== blocks.length) return text
  const rest = blocks.values()
  return text.replaceAll(BLOCK, (block) => rest.next().value ?? block)
}

function splitSections(text: string): Section[] {
  const parts = text.replaceAll(BLOCK, '').split(/^(#+) (.+)$/m)
  return Array.from({ length: (parts.length - 1) / 3 }, (_, at) => ({
    level: parts[3 * at + 1]?.length ?? 0,
    heading: parts[3 * at + 2] ?? '',
    text: parts[3 * at + 3] ?? '',
  }))
}

const listCode = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Numbers without the separators of a language: 10,000 and 10.000 are one. */
const listFigures = (text: string): string[] =>
  text
    .replaceAll(/`[^`]+`|\]\([^)]*\)/g, '')
    .replaceAll(/(?<=\d)[.,\u00a0](?=\d{3}(?!\d))/g, '')
    .match(/\d+/g) ?? []

const countRows = (text: string): number => text.match(/^\|/gm)?.length ?? 0

/** What the translation lacks of the English page or has beyond it, as sentences; empty if they fit. */
export function findDifferences(english: string, translation: string): string[] {
  const [ours, theirs] = [splitSections(english), splitSections(translation)]
  const listLevels = (sections: Section[]) => sections.map(({ level }) => level).join(' ')
  if (listLevels(ours) !== listLevels(theirs))
    return [`its headings have the levels ${listLevels(theirs)}, the English ones ${listLevels(ours)}`]
  const blocks = replaceBlocks(translation, english) === translation ? [] : ['a code block differs']
  if (english.match(BLOCK)?.length !== translation.match(BLOCK)?.length)
    blocks.push('a code block is missing')
  return [
    ...blocks,
    ...ours.flatMap((section, at) => {
      const other = theirs[at] ?? section
      return compareSections(section.text, other.text).map((difference) => `"${other.heading}" ${difference}`)
    }),
  ]
}

function compareSections(english: string, translation: string): string[] {
  const compare = (list: (text: string) => string[], what: string) => {
    const [ours, theirs] = [new Set(list(english)), new Set(list(translation))]
    return [
      ...[...ours].filter((one) => !theirs.has(one)).map((one) => `lacks the ${what} ${one}`),
      ...[...theirs]
        .filter((one) => !ours.has(one))
        .map((one) => `has the ${what} ${one}, which the English page has not`),
    ]
  }
  const [rows, theirRows] = [countRows(english), countRows(translation)]
  return [
    ...compare(listCode, 'code'),
    ...compare(listFigures, 'figure'),
    ...(rows === theirRows ? [] : [`has ${theirRows} rows of tables, the English page ${rows}`]),
  ]
}
