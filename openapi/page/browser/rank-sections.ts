// Ranks the sections of the page by the words of a search: path and title before description, fields and examples.

export interface Section {
  id: string
  /** The group in which it is listed. */
  kind: string
  title: string
  /** Method and path, or the name of an event or error. */
  name: string
  description: string
  fields: string
  /** Codes, responses and examples. */
  rest: string
}

const WEIGHTS = { name: 14, title: 12, description: 5, fields: 3, rest: 1 }
type Field = keyof typeof WEIGHTS
const fieldNames = Object.keys(WEIGHTS) as Field[]

/** Shares of a field's weight. */
const PREFIX = 0.7
const PART = 0.35
const TYPO = 0.4

const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/(\p{Lower})(?=\p{Upper})/gu, '$1 ')
    .toLowerCase()

/** Words of a text: `not_on_network` and `linkPreview` as they stand, and their parts. */
function splitWords(text: string): string[] {
  const whole = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const parts = foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
  return [...whole, ...parts]
}

type SectionWords = Record<Field, Set<string>>

export class SectionRanking {
  readonly #sections: { section: Section; words: SectionWords }[]

  constructor(sections: Section[]) {
    this.#sections = sections.map((section) => ({
      section,
      words: Object.fromEntries(
        fieldNames.map((name) => [name, new Set(splitWords(section[name]))]),
      ) as SectionWords,
    }))
  }

  /** Sections that have every word of the query, best first. */
  rank(query: string): Section[] {
    const asked = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])]
    if (asked.length === 0) return []
    const matches = asked.map((word) => new WordMatch(word))
    return this.#sections
      .map(({ section, words }) => ({ section, score: scoreSection(words, matches, section) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ section }) => section)
  }
}

/** How well words of the page fit one word of a query: each is compared once, however many sections have it. */
class WordMatch {
  readonly #asked: string
  readonly #scores = new Map<string, number>()

  constructor(asked: string) {
    this.#asked = asked.normalize('NFKD').replace(/\p{Mark}/gu, '')
  }

  compare(word: string): number {
    const known = this.#scores.get(word)
    if (known !== undefined) return known
    const score = compareWords(word, this.#asked)
    this.#scores.set(word, score)
    return score
  }
}

function scoreSection(words: SectionWords, matches: WordMatch[], { title, name }: Section): number {
  let total = 0
  for (const match of matches) {
    const score = scoreWord(words, match)
    if (score === 0) return 0
    total += score
  }
  // Of two that fit equally, the shorter one says less of something else.
  return total + 1 / (title.length + name.length)
}

function scoreWord(words: SectionWords, match: WordMatch): number {
  let total = 0
  for (const field of fieldNames) {
    let best = 0
    for (const word of words[field]) best = Math.max(best, match.compare(word))
    total += best * WEIGHTS[field]
  }
  return total
}

/** 1 for the same word, less for one that begins with it, contains it or is a slip of the keyboard away; 0 for another. */
function compareWords(word: string, asked: string): number {
  if (word === asked) return 1
  if (word.startsWith(asked)) return PREFIX
  if (asked.length >= 3 && word.includes(asked)) return PART
  if (asked.length < 4) return 0
  const allowed = asked.length >= 8 ? 2 : 1
  return isWithin(word.slice(0, asked.length + allowed), asked, allowed) ? TYPO : 0
}

/** Whether so many inserted, missing, wrong or swapped letters make one of the other. */
function isWithin(word: string, asked: string, allowed: number): boolean {
  if (Math.abs(word.length - asked.length) > allowed || word[0] !== asked[0]) return false
  let beforePrevious: number[] = []
  let previous = Array.from({ length: asked.length + 1 }, (_, index) => index)
  for (let row = 1; row <= word.length; row++) {
    const current = [row]
    for (let column = 1; column <= asked.length; column++) {
      const isSame = word[row - 1] === asked[column - 1]
      const isSwapped = word[row - 1] === asked[column - 2] && word[row - 2] === asked[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforePrevious = previous
    previous = current
  }
  return (previous[asked.length] ?? allowed + 1) <= allowed
}
