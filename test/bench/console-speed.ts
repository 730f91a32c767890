// How long the console takes from a click to filled rows, in a browser, with 5,000 instances, 1,000,000 events of one day and 2,000 chats.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { closeBrowser, signIn, visitPage } from '../console/browser.ts'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  linkDevice,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { insertDeliveries } from '../stored-deliveries.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { countSecondsUntil } from './load.ts'
import { readProcessTime } from './process-time.ts'

const INSTANCES = 5000
const CHATS = 2000
const DAY_MS = 86_400_000
/** Of the device whose log is opened; the other events are spread evenly. */
const SHARE_OF_DEVICE = 0.05
const BITE = 5000
const MAX_MS = 500

export interface ConsoleStep {
  what: string
  ms: number
  /** Of the edge with its database. */
  cpuMs: number
  kilobytes: number
  reached: boolean
}

export async function measureConsole(events: number, note: (text: string) => void): Promise<ConsoleStep[]> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited })
  try {
    const device = await linkDevice(world, await createDevice(world, 'Measured shop'))
    await subscribeReceiver(device, receiver)
    note(`${CHATS} people write …`)
    await fillChats(world, device, () => receiver.deliveries.length)
    note(`${INSTANCES} instances and ${events} events of one day are stored …`)
    await fillInstances(world)
    await fillDay(world, device, events)
    // What the gateway keeps in memory it has to find again, in the time that a device takes to be back.
    await world.killAndRestart()
    await waitUntilConnected(device, 180_000)
    return await walkConsole(world, device, note)
  } finally {
    await world.close()
    await receiver.close()
  }
}

async function fillChats(world: World, device: LinkedDevice, countDelivered: () => number): Promise<void> {
  let written = 0
  const writeOnes = async () => {
    while (written < CHATS) {
      const name = `Person ${written++}`
      const from = await createPhone(world, name)
      await world.sim('POST', '/messages', { from, to: device.number, text: `Hello from ${name}` })
    }
  }
  await Promise.all(Array.from({ length: 16 }, writeOnes))
  await countSecondsUntil(countDelivered, CHATS, 300)
}

async function fillInstances(world: World): Promise<void> {
  const now = Date.now()
  await world.queryDatabase(`insert into instances (id, kind, name, folded_name, company_id, token_hash, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${INSTANCES - 1})
    select printf('00000000-0000-4000-8000-%012d', i), 'msgnet', printf('Branch %04d', i), printf('branch %04d', i), '',
      printf('none-%d', i), ${now}, ${now} from n`)
}

/** Copies of a stored message's event; one in a hundred is dead, and the newest stay the product's own. */
async function fillDay(world: World, device: LinkedDevice, count: number): Promise<void> {
  const [{ last } = { last: 0 }] = await world.queryDatabase(
    `select max(seq) as last from events where instance_id = '${device.id}'`,
  )
  const first = Number(last) + 1
  const own = Math.round(count * SHARE_OF_DEVICE)
  const since = Date.now() - DAY_MS
  for (let from = 0; from < count; from += BITE) {
    const to = Math.min(count, from + BITE)
    await world.queryDatabase(`with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1}),
      rows as (select i, ${since} + cast(i * ${DAY_MS / count} as integer) as time, i % ${Math.round(1 / SHARE_OF_DEVICE)} = 0 as own,
        i as place from n),
      sample as (select * from events where instance_id = '${device.id}' and type = 'messages' limit 1)
      insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
      select printf('10000000-0000-4000-8000-%012d', i),
        iif(own, '${device.id}', printf('00000000-0000-4000-8000-%012d', 1 + i % ${INSTANCES - 1})),
        iif(own, ${first} + i / ${Math.round(1 / SHARE_OF_DEVICE)}, 1 + i), iif(i % 3 = 0, 'messages_update', 'messages'), sample.owner,
        sample.payload, time, time, 'delivered', 0
      from rows join sample`)
  }
  await world.queryDatabase(
    insertDeliveries(`e.instance_id = '${device.id}' and e.seq >= ${first}`, {
      status: "iif(e.seq % 100 = 20, 'dead', 'delivered')",
      last_attempt_at: 'e.created_at',
      dead_at: 'iif(e.seq % 100 = 20, e.created_at, null)',
      last_status: 'iif(e.seq % 100 = 20, 500, 200)',
      last_error: "iif(e.seq % 100 = 20, 'status_500', null)",
    }),
  )
  await world.queryDatabase(`update webhooks set cursor = ${first + own} where instance_id = '${device.id}'`)
  await world.queryDatabase(`update instances set last_seq = ${first + own} where id = '${device.id}'`)
}

type Step = [what: string, act: (page: Page) => Promise<unknown>, isFilled: string]

const rows = (least: number) => `document.querySelectorAll('tbody tr').length >= ${least}`
const firstCell = (text: string) =>
  `document.querySelector('tbody tr')?.textContent.includes(${JSON.stringify(text)})`
const deliveries = (extra = 'true') => `document.querySelectorAll('.delivery-row').length >= 5 && ${extra}`
const clickLink = (name: string | RegExp) => (page: Page) =>
  page.getByRole('link', { name, exact: true }).first().click()

function listSteps({ id }: LinkedDevice): Step[] {
  const openTab = (tab: string) => (page: Page) => page.evaluate(`location.hash = '#/instances/${id}/${tab}'`)
  return [
    [
      'overview, the first after the start',
      clickLink('Overview'),
      `document.querySelector('.figures, .stat-value')`,
    ],
    ['instances', clickLink('Instances'), rows(50)],
    [
      'instances: next page',
      (page) => page.getByRole('button', { name: 'Next page' }).click(),
      `${rows(50)} && !${firstCell('Branch 0001')}`,
    ],
    [
      'instances: sorted by the last event',
      (page) => page.getByRole('button', { name: 'Last event' }).click(),
      rows(50),
    ],
    [
      'instances: searched',
      (page) => page.getByLabel('Search').fill('branch 4321'),
      `${firstCell('Branch 4321')} && document.querySelectorAll('tbody tr').length === 1`,
    ],
    [
      'instances: filtered by state',
      (page) => page.evaluate("location.hash = '#/instances?state=connected'"),
      firstCell('Measured shop'),
    ],
    ['overview, again', clickLink('Overview'), `document.querySelector('.figures, .stat-value')`],
    ['an instance’s deliveries', openTab('deliveries'), deliveries()],
    [
      'deliveries: dead ones',
      (page) => page.getByRole('button', { name: 'Dead', exact: true }).click(),
      deliveries(
        `[...document.querySelectorAll('.delivery-row')].every((row) => row.textContent.includes('500'))`,
      ),
    ],
    [
      'deliveries: by type',
      openTab('deliveries?type=messages_update'),
      deliveries(
        `[...document.querySelectorAll('.delivery-row')].every((row) => row.textContent.includes('messages_update'))`,
      ),
    ],
    [
      'an event’s drawer',
      (page) => page.locator('.delivery-row').first().click(),
      `document.querySelector('dialog pre')`,
    ],
    [
      `a conversation list of ${CHATS} chats`,
      openTab('chats'),
      `document.querySelectorAll('.talk-list .chat').length >= 5`,
    ],
  ]
}

async function walkConsole(
  world: World,
  device: LinkedDevice,
  note: (text: string) => void,
): Promise<ConsoleStep[]> {
  const { page, close } = await visitPage(world.run.baseUrl, '/console#/limits')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
  await page.locator('tbody tr').first().waitFor()
  const found: ConsoleStep[] = []
  const measureStep = async (what: string, act: () => Promise<unknown>, isFilled: string) => {
    await page.waitForLoadState('networkidle')
    const before = bytes
    const pid = world.findPid('edge')
    const cpuBefore = readProcessTime(pid)
    const startedAt = performance.now()
    await act()
    await waitUntilDrawn(page, isFilled)
    const ms = performance.now() - startedAt
    const cpuMs = readProcessTime(pid) - cpuBefore
    found.push({ what, ms, cpuMs, kilobytes: (bytes - before) / 1000, reached: ms <= MAX_MS })
    note(`${what}: ${ms.toFixed(0)} ms, of which the edge computed ${cpuMs.toFixed(0)}`)
  }
  for (const [what, act, isFilled] of listSteps(device)) await measureStep(what, () => act(page), isFilled)
  await page.evaluate(`location.hash = '#/instances/${device.id}/deliveries'`)
  const more = page.getByRole('button', { name: 'Load older events' })
  for (let loaded = 2; loaded < 20; loaded++) {
    await more.click()
    await waitUntilDrawn(page, `!document.querySelector('.button.busy')`)
  }
  const [shown = ''] = await page.locator('[role=status]').last().allTextContents()
  await measureStep(
    'deliveries: page 20',
    () => more.click(),
    `document.querySelector('.stack.tight [role=status]')?.textContent !== ${JSON.stringify(shown)}`,
  )
  await close()
  await closeBrowser()
  return found
}

/** By the debugger, because the page's own policy lets nothing evaluate text. */
const waitUntilDrawn = (page: Page, condition: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const end = performance.now() + 60_000
    const look = () => {
      if (${condition}) resolve(true)
      else if (performance.now() > end) reject(new Error('nothing was drawn'))
      else requestAnimationFrame(look)
    }
    look()
  })`)

/** For the terminal. */
export function printConsole(found: ConsoleStep[]): void {
  console.table(
    found.map(({ what, ms, cpuMs, kilobytes, reached }) => ({
      'from a click to filled rows': what,
      ms: ms.toFixed(0),
      'CPU ms of the edge': cpuMs.toFixed(0),
      KB: kilobytes.toFixed(1),
      reach: `≤ ${MAX_MS}`,
      '': reached ? 'reached' : 'MISSED',
    })),
  )
}
