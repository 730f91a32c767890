// What callers send while parts are killed: texts, texts with a delay, files, mentions in a group, and edits of what was sent.

import type { Dice } from './dice.ts'

export const sendKinds = ['text', 'delayed', 'file', 'mention', 'edit'] as const
export type SendKind = (typeof sendKinds)[number]

/** A request of a caller. `word` is unique: by it the friend's phone knows what arrived. */
export interface Wish {
  kind: SendKind
  path: string
  body: Record<string, unknown>
  word: string
  /** Nothing of it is for the network before that many milliseconds. */
  delayMs: number
}

interface Circumstances {
  /** The number that the sends go to. */
  friend: string
  /** A group of the friend and all devices, whose members are addressed by LID. */
  group: string | undefined
  /** The id of a text that this device has sent, if there is one. */
  sentId: string | undefined
  dice: Dice
}

const MAX_DELAY_MS = 4000
/** Large enough that its upload is under way for a while. */
const FILE = Buffer.alloc(2_000_000, 9).toString('base64')

/** What this device sends next; a text while there is no group or nothing to edit. */
export function chooseWish(word: string, { friend, group, sentId, dice }: Circumstances): Wish {
  const kind = dice.pickItem(sendKinds)
  const build = (path: string, body: Record<string, unknown>, delayMs = 0): Wish => ({
    kind,
    path,
    body,
    word,
    delayMs,
  })
  if (kind === 'delayed') {
    const delay = 1000 + dice.rollDie(MAX_DELAY_MS - 1000)
    return build('/send/text', { number: friend, text: word, delay }, delay)
  }
  if (kind === 'file')
    return build('/send/media', { number: friend, type: 'document', file: FILE, text: word, docName: word })
  if (kind === 'mention' && group)
    return build('/send/text', { number: group, text: `${word} @${friend}`, mentions: [friend] })
  if (kind === 'edit' && sentId) return build('/message/edit', { id: sentId, text: word })
  return { ...build('/send/text', { number: friend, text: word }), kind: 'text' }
}

/** The word of a message that the friend's phone got. */
export const readWord = ({ text, caption }: { text?: string; caption?: string }): string =>
  (caption || text || '').split(' ')[0] ?? ''
