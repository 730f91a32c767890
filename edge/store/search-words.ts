// Turns the words of a search into conditions on instances. Apart from found-instances.ts, because this knows the columns and that the filters.

import { isPartOfNumber, listSpellings, splitSearch } from '@msgnet/shared/search-text.ts'
import { FOLDED_NAME, NUMBER } from './instance-states.ts'

export interface SearchCondition {
  sql: string
  args: string[]
}

/** So many characters of an id are typed on purpose. */
const ID_PREFIX = /^[\da-f-]{4,36}$/

/** All of them must hold. */
export const buildWordConditions = (search: string): SearchCondition[] =>
  splitSearch(search).map((words) => {
    const inTexts = matchAll(words.map(matchWord))
    return words.every(isPartOfNumber) ? matchAny([matchNumber(words.join('')), inTexts]) : inTexts
  })

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

const joinConditions = (conditions: SearchCondition[], operator: string): SearchCondition => ({
  sql: `(${conditions.map(({ sql }) => sql).join(operator)})`,
  args: conditions.flatMap(({ args }) => args),
})
const matchAny = (conditions: SearchCondition[]) => joinConditions(conditions, ' or ')
const matchAll = (conditions: SearchCondition[]) => joinConditions(conditions, ' and ')
