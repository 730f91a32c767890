// The accessibility of every page of the console in every state: found by its links, in each language, in light and dark, on a small screen, and right to left.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type Device, type LinkedDevice, linkDevice } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import {
  findFaultsIn,
  inBrowser,
  noBrowser,
  signIn,
  smallScreen,
  type Texts,
  type Visit,
  views,
  visitPage,
} from './browser.ts'

const languages = [
  ['en', english, views],
  ['pt-BR', portuguese, [smallScreen]],
  ['es-MX', spanish, [smallScreen]],
] as const

const clickButton = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).first().click()
const waitForEmpty = (page: Page) => page.locator('.empty').first().waitFor()

const PAGES = [
  ...(['overview', 'inbox', 'instances', 'webhook', 'hosts', 'health'] as const),
  ...(['tokens', 'audit', 'limits', 'simulation'] as const),
]
const TABS = [
  ...(['device', 'chats', 'scheduled', 'contacts', 'groups', 'labels', 'blocked', 'webhook'] as const),
  ...(['deliveries', 'profile', 'privacy', 'proxy', 'calls', 'export'] as const),
]
/** Behind `#/`. SHOP is an instance that is linked, NEW one that is not. */
const paths: string[] = [
  ...PAGES,
  ...['SHOP', 'NEW'].flatMap((instance) => TABS.map((tab) => `instances/${instance}/${tab}`)),
]

/** What a page shows beyond its first sight: where, and what opens it. */
const openings: [name: string, path: string, open: (page: Page, texts: Texts) => Promise<unknown>][] = [
  [
    'the palette',
    'instances/SHOP/device',
    async (page, { palette }) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: palette.title }).fill('o')
      await page.locator('#palette-places [role=option]').first().waitFor()
    },
  ],
  [
    'the keys',
    'instances',
    async (page) => {
      await page.keyboard.press('?')
      await page.locator('dialog kbd').first().waitFor()
    },
  ],
  ['waiting chats without a match', 'inbox?search=nothing', waitForEmpty],
  ['a new instance', 'instances', (page, { instances }) => clickButton(page, instances.create)],
  ['instances without a match', 'instances?search=nothing', waitForEmpty],
  ['a link for the phone', 'instances/NEW/device', (page, { links }) => clickButton(page, links.send)],
  [
    'a QR code',
    'instances/NEW/device',
    async (page, { instance }) => {
      await clickButton(page, instance.getQr)
      await page.getByRole('img', { name: instance.qrAlt }).waitFor()
    },
  ],
  [
    'a question before disconnecting',
    'instances/SHOP/device',
    (page, { instance }) => clickButton(page, instance.disconnect),
  ],
  [
    'a question before deleting',
    'instances/SHOP/device',
    (page, { instance }) => clickButton(page, instance.delete),
  ],
  [
    'a question before a new token',
    'instances/SHOP/device',
    (page, { instance }) => clickButton(page, instance.replaceToken),
  ],
  ['a new scoped token', 'instances/SHOP/device', (page, { tokens }) => clickButton(page, tokens.create)],
  ['a chat', 'instances/SHOP/chats', openChat],
  [
    'the menu to attach',
    'instances/SHOP/chats',
    async (page, texts) => {
      await openChat(page, texts)
      await clickButton(page, texts.conversation.attachMenu)
    },
  ],
  [
    'a poll to send',
    'instances/SHOP/chats',
    async (page, texts) => {
      await openChat(page, texts)
      await clickButton(page, texts.conversation.attachMenu)
      await clickButton(page, texts.conversation.attachments.poll)
    },
  ],
  [
    'a time to send',
    'instances/SHOP/chats',
    async (page, texts) => {
      await openChat(page, texts)
      await page.getByLabel(texts.conversation.write, { exact: true }).fill('We open at nine.')
      await clickButton(page, texts.conversation.later.title)
      await page.locator('dialog').waitFor()
    },
  ],
  [
    'a new webhook',
    'instances/SHOP/webhook?webhook=new',
    async (page, { webhook }) => {
      await page.getByRole('radio', { name: webhook.chats.some }).check()
      await clickButton(page, webhook.headers.add)
    },
  ],
  ['a new group', 'instances/SHOP/groups', (page, { groups }) => clickButton(page, groups.create)],
  [
    'the members of a group',
    'instances/SHOP/groups',
    (page, { groups }) => clickButton(page, groups.members(2)),
  ],
  [
    'an event',
    'instances/SHOP/deliveries',
    async (page) => {
      await page.locator('.delivery-row').first().click()
      await page.locator('dialog pre').first().waitFor()
    },
  ],
  ['events without a match', 'instances/SHOP/deliveries?status=dead', waitForEmpty],
  [
    'a replay',
    'instances/SHOP/deliveries',
    (page, { deliveries }) => page.getByRole('button', { name: deliveries.replay }).first().click(),
  ],
  ['a new token', 'tokens', (page, { tokens }) => clickButton(page, tokens.create)],
  [
    'a question before a token ends',
    'tokens',
    (page, { tokens }) => clickButton(page, tokens.deleteNamed('Dashboard')),
  ],
  [
    'a question before a host drains',
    'hosts',
    (page, { hosts }) => page.getByRole('button', { name: hosts.drain }).first().click(),
  ],
  ['an audit log without a match', 'audit?since=2099-01-01T00:00', waitForEmpty],
]

async function openChat(page: Page, _: Texts): Promise<void> {
  await page.getByRole('link', { name: /Bruno/ }).click()
  await page.locator('.bubble').first().waitFor()
}

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let receiver: Receiver
  let shop: LinkedDevice
  let fresh: Device
  let adminToken = ''

  beforeAll(async () => {
    receiver = await startReceiver()
    world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
    adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    shop = await linkDevice(world, await createDevice(world, 'Flower shop'))
    await world.admin.post('/v1/tokens', { name: 'Dashboard', scope: 'read' })
    await shop.caller.post('/instance/tokens', { name: 'Agent', scope: 'send', chats: ['groups'] })
    await shop.caller.post('/webhook', { url: receiver.url, events: 'all' })
    const bruno = await createPhone(world, 'Bruno')
    await world.sim('POST', '/messages', { from: bruno, to: shop.number, text: 'Are there roses?' })
    await shop.caller.post('/send/text', { number: bruno, text: `Yes: ${'roses '.repeat(60)}` })
    await shop.caller.post('/group/create', { name: 'Regulars', participants: [bruno] })
    await until(async () => (await shop.caller.get('/v1/events?status=delivered')).body.events.length > 1)
  })

  afterAll(async () => {
    await world?.close()
    await receiver?.close()
  })

  describe.each(languages)('in %s', (locale, texts, seen) => {
    let guest: Visit
    let page: Page

    beforeAll(async () => {
      const long = 'A name that is much longer than any shop would want to have on its door, or in a list'
      fresh = await createDevice(world, long)
      guest = await visitPage(world.run.baseUrl, '/', { locale })
      page = guest.page
    })
    afterAll(() => guest?.close())

    const toAddress = (path: string) =>
      `${world.run.baseUrl}/console#/${path.replace('SHOP', shop.id).replace('NEW', fresh.id)}`

    async function openPath(path: string): Promise<void> {
      await page.goto(toAddress(path))
      await page.locator('main h1').first().waitFor()
      await page.locator('.skeleton, .loading').waitFor({ state: 'detached' })
    }

    async function readPaths(links: string): Promise<string[]> {
      const hrefs: (string | null)[] = await page
        .locator(links)
        .evaluateAll((found) =>
          found.map((link) =>
            (link as unknown as { getAttribute(name: string): string }).getAttribute('href'),
          ),
        )
      return hrefs.map((href) => (href ?? '').replace(/^#\//, ''))
    }

    test('the greeting, an unknown page and the sign-in', async () => {
      await page.getByText(texts.greeting.ready).waitFor()
      expect(await findFaultsIn(page, seen)).toEqual([])
      await page.goto(`${world.run.baseUrl}/nowhere`)
      await page.getByText(texts.notFound.title).waitFor()
      expect(await findFaultsIn(page, seen)).toEqual([])
      await page.goto(`${world.run.baseUrl}/console`)
      await page.getByLabel(texts.signIn.token, { exact: true }).fill('mgi_x')
      await page.getByRole('button', { name: texts.signIn.title }).click()
      await page.getByText(texts.signIn.wrong).waitFor()
      expect(await findFaultsIn(page, seen)).toEqual([])
      await signIn(page, adminToken, { texts, stay: true })
      expect(await page.evaluate('document.documentElement.lang')).toBe(locale)
    })

    test('the list and the tabs of an instance lead to the pages below, and to no other', async () => {
      await page.locator('nav.side a[href="#/simulation"]').waitFor({ state: 'attached' })
      expect(await readPaths('nav.side a[href^="#/"]')).toEqual(PAGES)
      await openPath('instances/SHOP/device')
      await page.locator('nav.subnav a').first().waitFor({ state: 'attached' })
      expect(await readPaths('nav.subnav a')).toEqual(TABS.map((tab) => `instances/${shop.id}/${tab}`))
    })

    test.each(paths)('the page %s', async (path) => {
      await openPath(path)
      expect(await findFaultsIn(page, seen)).toEqual([])
    })

    test.each(openings)('%s', async (_, path, open) => {
      await openPath('health')
      await openPath(path)
      await open(page, texts)
      expect(await findFaultsIn(page, seen)).toEqual([])
      await page.reload()
    })

    test('the list of pages on a small screen', async () => {
      await page.setViewportSize(smallScreen)
      const menu = page.getByRole('button', { name: texts.nav.menu })
      const entry = page.locator('nav.side').getByRole('link', { name: texts.nav.hosts, exact: true })
      await openPath('health')
      expect(await entry.isVisible()).toBe(false)
      await menu.click()
      expect(await findFaultsIn(page, [smallScreen])).toEqual([])
      await page.keyboard.press('Escape')
      expect(await entry.isVisible()).toBe(false)
      await menu.press('Enter')
      await entry.press('Enter')
      // Before it may stand how many messages are unread.
      await until(async () => (await page.title()).includes(texts.nav.hosts))
      expect(await entry.isVisible()).toBe(false)
    })

    const responses: [name: string, sign: string, respond: (route: Route) => Promise<void> | undefined][] = [
      ['while it loads', 'main', () => undefined],
      [
        'where it is refused',
        'main :is([role=alert], .trouble, .badge.bad, .note.bad)',
        (route) => route.fulfill({ status: 403, json: { error: 'forbidden', message: 'Not allowed.' } }),
      ],
    ]

    describe.each(responses)('%s', (_, sign, respond) => {
      const isOfApi = ({ pathname }: URL) => !pathname.startsWith('/console')

      // The simulation asks the simulated network, and not the API.
      test.each(paths.filter((path) => path !== 'simulation'))('the page %s', async (path) => {
        // Another page first, so that this one has nothing of before.
        await openPath(path === 'health' ? 'limits' : 'health')
        await page.route(isOfApi, respond)
        try {
          await page.goto(toAddress(path))
          await page.locator(sign).first().waitFor({ timeout: 5000 })
          expect(await findFaultsIn(page, [smallScreen])).toEqual([])
        } finally {
          await page.unrouteAll({ behavior: 'ignoreErrors' })
        }
      })
    })

    describe.runIf(locale === 'en')('from right to left', () => {
      test.each(paths)('the page %s', async (path) => {
        await page.evaluate("document.documentElement.dir = 'rtl'")
        await openPath(path)
        expect(await findFaultsIn(page, views)).toEqual([])
      })
    })

    test('a fault of any weight is found', async () => {
      await openPath('health')
      await page.evaluate("document.querySelector('main').append(document.createElement('h5'))")
      expect((await findFaultsIn(page, [smallScreen])).join()).toContain('empty-heading')
    })

    test('no page complained', () => expect(guest.complaints).toEqual([]))
  })
})
