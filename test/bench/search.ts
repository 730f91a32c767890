// `npm run bench -- --search 1000000`: what a page of a search costs an account with so many messages.

import { join } from 'node:path'
import { createRow } from '@msgnet/session-host/sessions/message-records.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { indexWaiting } from '@msgnet/session-host/store/message-index.ts'
import { addMessage } from '@msgnet/session-host/store/message-store.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { createDice, type Dice } from '../chaos/dice.ts'
import { createDevice, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { parts } from './cost.ts'
import { createMaxMeasure, type Measure } from './measure.ts'
import { readProcessTime } from './process-time.ts'

/** Milliseconds of processor time of edge and host, all threads. */
const MAX_PAGE_MS = 20
const PAGES = 200
const COMMIT = 1000
const WORDS_OF_A_TEXT = 10
const VOCABULARY = 20_000
const CHATS = 500
const INDEXED = { within: 120_000 }

/** The words with low numbers are in many texts, as of every language. */
const createWord = (n: number): string => `word${n.toString(36)}`
const drawWord = ({ rollDie }: Dice): string =>
  createWord(Math.floor(rollDie(VOCABULARY) ** 3 / VOCABULARY ** 2))
const createChat = (n: number): string => `${5_511_900_000_000 + n}@s.msgnet.net`

export async function measureSearch(messages: number, note: (text: string) => void): Promise<Measure[]> {
  const world = await startWorld({ LOG_LEVEL: 'warn', ...unlimited })
  try {
    const device = await linkDevice(world, await createDevice(world, 'Searched'))
    note(`${messages} messages of ${WORDS_OF_A_TEXT} words in ${CHATS} chats are stored and indexed …`)
    // An open store does not keep its process running.
    const awake = setInterval(() => undefined, SECOND)
    await world.killAndRestart(() => fillStore(world, device, messages)).finally(() => clearInterval(awake))
    await until(async () => (await findPage(device, { search: createWord(0) })).complete, INDEXED)
    const rare = createWord(VOCABULARY - 1)
    const wishes = {
      'of a word in most texts': { search: createWord(0) },
      'of a rare word': { search: rare },
      'of two words': { search: `${createWord(0)} ${rare}` },
      'of a word in one chat': { search: createWord(3), chatid: createChat(7) },
      'of a word that there is not': { search: 'nowhere' },
      'the twentieth': { search: createWord(0), offset: 1000 },
    }
    const found: Measure[] = []
    for (const [what, wish] of Object.entries(wishes))
      found.push(await measurePage(world, device, what, wish))
    return found
  } finally {
    await world.close()
  }
}

/** While no host has the file. */
async function fillStore(world: World, { id }: LinkedDevice, count: number): Promise<void> {
  const store = await openStore(join(world.dataDir, 'host', 'host.db'), (error) => {
    throw error
  })
  const dice = createDice(1)
  const newest = Date.now()
  for (let first = 0; first < count; first += COMMIT) {
    const rows = Array.from({ length: Math.min(COMMIT, count - first) }, (_, n) => {
      const text = Array.from({ length: WORDS_OF_A_TEXT }, () => drawWord(dice)).join(' ')
      const record = {
        ...emptyMessage,
        chatid: createChat(dice.rollDie(CHATS)),
        messageid: `SEARCHED${first + n}`,
        messageTimestamp: newest - (count - first - n) * 1000,
        type: 'text' as const,
        text,
        content: { text },
      }
      return addMessage(createRow(record, id, new Uint8Array()))
    })
    await store.commit(rows)
  }
  while (!(await indexWaiting(store)));
  await store.close()
}

async function findPage(device: LinkedDevice, wish: object): Promise<{ complete: boolean }> {
  const { status, body, text } = await device.caller.post('/message/find', { limit: 50, ...wish })
  if (status !== 200) throw new Error(`the search answered ${status}: ${text}`)
  return body
}

async function measurePage(world: World, device: LinkedDevice, what: string, wish: object): Promise<Measure> {
  for (let page = 0; page < PAGES / 10; page++) await findPage(device, wish)
  const readTime = () => parts.reduce((sum, part) => sum + readProcessTime(world.findPid(part)), 0)
  const before = readTime()
  for (let page = 0; page < PAGES; page++) await findPage(device, wish)
  return createMaxMeasure(`ms of a page ${what}`, (readTime() - before) / PAGES, MAX_PAGE_MS)
}
