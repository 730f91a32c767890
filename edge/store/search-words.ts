// Turns the words of a search into conditions on instances: accents, case and the spelling of a number do not count.

import { foldText } from './fold-text.ts'
import { FOLDED_NAME, NUMBER } from './instance-states.ts'

export interface SearchCondition {
  sql: string
  args: string[]
}

const PHONE_SIGNS = /^[+\d().\-/]*\d[+\d().\-/]*$/
/** So many characters of an id are typed on purpose. */
const ID_PREFIX = /^[\da-f-]{4,36}$/

/** All of them must hold. */
export const buildWordConditions = (search: string): SearchCondition[] =>
  joinNumbers(foldText(search).split(/\s+/).filter(Boolean)).map((words) => {
    const inTexts = matchAll(words.map(matchWord))
    return words.every((word) => PHONE_SIGNS.test(word))
      ? matchAny([matchNumber(words.join('')), inTexts])
      : inTexts
  })

/** Words that follow each other and may be parts of one number, with spaces in it; any other word stands alone. */
function joinNumbers(words: string[]): string[][] {
  const groups: string[][] = []
  for (const word of words) {
    const previous = groups.at(-1)
    const continues =
      PHONE_SIGNS.test(word) && PHONE_SIGNS.test(previous?.at(-1) ?? '') && !word.startsWith('+')
    if (continues) previous?.push(word)
    else groups.push([word])
  }
  return groups
}

const matchWord = (word: string): SearchCondition =>
  matchAny([
    { sql: `instr(${FOLDED_NAME}, ?) > 0`, args: [word] },
    { sql: 'instr(lower(i.company_id), ?) > 0', args: [word] },
    ...(ID_PREFIX.test(word) ? [{ sql: 'instr(i.id, ?) = 1', args: [word] }] : []),
  ])

/** Numbers are stored with their country code and without signs. */
function matchNumber(typed: string): SearchCondition {
  const spellings = listSpellings(typed)
  return matchAny(spellings.map((digits) => ({ sql: `instr(${NUMBER}, ?) > 0`, args: [digits] })))
}

/** Mobile numbers of Brazil have a 9 after the area code that older accounts do not have. */
const WITH_NINE = /^(55)?(\d\d)9(\d{8})$/
const WITHOUT_NINE = /^(55)?(\d\d)([6-9]\d{7})$/

/** Without the zeros that are dialled before an area or a country. */
function listSpellings(typed: string): string[] {
  const digits = typed.replace(/\(0\)|\D/g, '').replace(/^0+(?=\d)/, '')
  if (WITH_NINE.test(digits)) return [digits, digits.replace(WITH_NINE, '$1$2$3')]
  if (WITHOUT_NINE.test(digits)) return [digits, digits.replace(WITHOUT_NINE, '$1$29$3')]
  return [digits]
}

const joinConditions = (conditions: SearchCondition[], operator: string): SearchCondition => ({
  sql: `(${conditions.map(({ sql }) => sql).join(operator)})`,
  args: conditions.flatMap(({ args }) => args),
})
const matchAny = (conditions: SearchCondition[]) => joinConditions(conditions, ' or ')
const matchAll = (conditions: SearchCondition[]) => joinConditions(conditions, ' and ')
