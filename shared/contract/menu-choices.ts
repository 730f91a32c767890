// Reads the choices of buttons, lists and carousels, which callers write as texts in the form of the API family.

/** What phones show of menus: numbers of choices, and characters. */
export const menuLimits = {
  maxPollQuestion: 255,
  maxPollChoices: 12,
  maxPollChoice: 100,
  maxText: 1024,
  maxChoice: 1024,
  /** The footer, and the button of a list. */
  maxTitle: 60,
  maxButtons: 10,
  maxRows: 50,
  maxCards: 10,
  maxCardButtons: 3,
  /** With the titles of sections and cards. */
  maxLines: 100,
} as const

/** What can be chosen (`id`), or what the phone does by itself: opens a URL, copies a text, calls a number. */
export interface MenuChoice {
  text: string
  id: string
  description?: string
  /** Of a list: the title above it. */
  section?: string
  opens?: { kind: 'url' | 'copy' | 'call'; value: string }
}

/** Of a carousel. Buttons and lists have one without a text. */
export interface MenuCard {
  text: string
  /** Its URL or its bytes, as the caller wrote it; at the host its place among the pictures of the message. */
  picture?: string
  choices: MenuChoice[]
}

export type MenuForm = 'button' | 'list' | 'carousel'

const BRACKETS = /^\[([\s\S]*)\]$/
const BRACES = /^\{([\s\S]*)\}$/

/** The picture that a choice in curly brackets names; undefined for any other choice. */
export const readPicture = (line: string): string | undefined => BRACES.exec(line)?.[1]?.trim()

/** The cards, or the sentence that says what is wrong with the choices. */
export function parseMenuCards(form: MenuForm, lines: string[]): MenuCard[] | string {
  const cards: MenuCard[] = form === 'carousel' ? [] : [{ text: '', choices: [] }]
  let section = ''
  for (const line of lines) {
    const heading = form === 'button' ? undefined : BRACKETS.exec(line)?.[1]?.trim()
    if (heading === '') return 'must have words between the brackets'
    if (heading !== undefined && form === 'carousel') cards.push({ text: heading, choices: [] })
    else if (heading !== undefined) section = heading
    else if (line.startsWith('{')) {
      const fault = addPicture(form, cards.at(-1), line)
      if (fault) return fault
    } else {
      const choice = form === 'list' ? parseRow(line, section) : parseButton(line)
      if (choice.text === '') return 'must have words before the separator'
      const card = cards.at(-1)
      if (!card) return 'must begin with the text of a card in square brackets'
      card.choices.push(choice)
    }
  }
  return findExcess(form, cards) ?? cards
}

/** Returns the sentence that says why the card cannot have it. */
function addPicture(form: MenuForm, card: MenuCard | undefined, line: string): string | undefined {
  if (form !== 'carousel') return 'cannot have pictures: cards of a carousel have them, and imageButton'
  const picture = readPicture(line)
  if (!picture) return 'must have a picture between the curly brackets'
  if (!card || card.picture !== undefined || card.choices.length > 0)
    return 'must have the picture of a card directly below its text'
  card.picture = picture
  return undefined
}

/** `text|id`, `text|url:…` (or only the URL), `text|copy:…`, `text|call:…`. */
function parseButton(line: string): MenuChoice {
  const [text = '', ...rest] = line.split(/[|\n]/)
  const value = rest.join('|').trim()
  const opens = readOpening(value)
  return { text: text.trim(), id: opens ? '' : value || text.trim(), ...(opens && { opens }) }
}

function readOpening(value: string): MenuChoice['opens'] {
  if (/^https?:\/\//.test(value)) return { kind: 'url', value }
  const [, kind, rest = ''] = /^(url|copy|call):(.+)$/.exec(value) ?? []
  return kind ? { kind: kind as 'url' | 'copy' | 'call', value: rest.trim() } : undefined
}

/** `text|id|description`. */
function parseRow(line: string, section: string): MenuChoice {
  const [text = '', id = '', ...rest] = line.split('|').map((part) => part.trim())
  const description = rest.join('|')
  return { text, id: id || text, ...(description && { description }), ...(section && { section }) }
}

function findExcess(form: MenuForm, cards: MenuCard[]): string | undefined {
  const { maxButtons, maxRows, maxCards, maxCardButtons } = menuLimits
  const max = { button: maxButtons, list: maxRows, carousel: maxCardButtons }[form]
  if (cards.length === 0 || cards.some(({ choices }) => choices.length === 0))
    return form === 'carousel' ? 'must have a button on each card' : 'must have something to choose'
  if (cards.length > maxCards) return `must be ${maxCards} cards at most`
  if (cards.some(({ choices }) => choices.length > max))
    return form === 'carousel' ? `must be ${max} buttons on a card at most` : `must be ${max} at most`
  const ids = cards.flatMap(({ choices }) => choices.map(({ id }) => id)).filter(Boolean)
  return new Set(ids).size < ids.length ? 'must differ in their ids' : undefined
}

/** The words that everybody can read, with a number before each choice. The answer `2` means the second one. */
export function formatMenuText(text: string, cards: MenuCard[]): string {
  let number = 0
  const blocks = cards.map(({ text: heading, choices }) => {
    let section = ''
    const lines = choices.flatMap((choice) => {
      const above = choice.section && choice.section !== section ? [choice.section] : []
      section = choice.section ?? ''
      if (choice.opens) return [...above, `${choice.text}: ${choice.opens.value}`]
      number += 1
      const description = choice.description ? ` (${choice.description})` : ''
      return [...above, `${number}. ${choice.text}${description}`]
    })
    return [heading, ...lines].filter(Boolean).join('\n')
  })
  return [text, ...blocks].join('\n\n')
}
