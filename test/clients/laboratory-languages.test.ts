// Each story of the laboratory, played to an example program in each of four languages: what the program then knows, and what it does next.
// @module-tag slow

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Story } from '../../clients/testing/start-lab.ts'
import { installInbox, players, startInbox } from './inbox-players.ts'
import { startLabScene } from './lab-scene.ts'
import { expectBook, type Order, summarizeBook, type Verdict, verdicts } from './story-verdicts.ts'

const PATIENT = 180_000

const { lab, callAs } = await startLabScene('test/clients/laboratory-languages.test.ts')
const folder = mkdtempSync(join(tmpdir(), 'laboratory-languages-'))
const stories = (await lab.listStories()).map(({ name }) => name)
/** A row for each story, a column for each language. */
const results = new Map(stories.map((story) => [story, new Map<string, string>()]))

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  const write = (cells: string[]) => `| ${cells.join(' | ')} |`
  const names = players.map(({ language }) => language)
  const rows = [...results].map(([story, row]) =>
    write([story, ...names.map((name) => row.get(name) ?? '-')]),
  )
  console.log([write(['Story', ...names]), ...rows].join('\n'))
})

/** The program sends what the verdict says to whom the story names. */
async function order(send: (order: Order) => Promise<object>, { to }: Story, { sends }: Verdict) {
  if (!sends) return {}
  const { afterMs, ...what } = sends
  const sendAt = afterMs && new Date((await lab.now()) + afterMs).toISOString()
  const number = to ?? (await lab.phone()).number
  return send({ number, key: 'order-7', ...what, ...(sendAt && { sendAt }) })
}

describe.each(players)('the inbox in $language', (player) => {
  const { language, missing } = player
  const place = join(folder, language)
  beforeAll(() => {
    if (!missing) installInbox(player, place)
  }, PATIENT)

  test.for(stories)('%s', { timeout: PATIENT }, async (story, { skip }) => {
    if (missing) skip(missing)
    const row = results.get(story)
    row?.set(language, 'wrong')
    const verdict = verdicts[story]
    if (!verdict) throw new Error(`nothing is said of ${story}`)
    const instance = await lab.createInstance()
    const inbox = await startInbox(lab, instance, player, place)
    onTestFinished(async () => {
      await inbox.stop()
      await callAs(instance).delete('/instance')
    })
    const played = await lab.play(story, instance)
    const outcome: { messageid?: string } = await order(inbox.send, played, verdict)
    expect(outcome).toMatchObject(verdict.answers ?? {})
    const readSummary = async () => summarizeBook(await inbox.readBook(), outcome.messageid, verdict)
    await expect.poll(readSummary, { timeout: 60_000 }).toEqual(expectBook(verdict))
    const arrived = verdict.inbox && (await lab.readInbox(played.to ?? ''))
    expect(arrived?.map(({ text = '' }: { text?: string }) => text)).toEqual(verdict.inbox)
    const { judgement } = await lab.received(instance)
    expect(judgement).toMatchObject({ wrongSignatures: 0, refusedByProgram: 0 })
    row?.set(language, `right: ${judgement.events} events, ${judgement.repeated} again`)
  })
})
