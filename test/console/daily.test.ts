// The daily work of an instance in the console: linking by a code, a proxy, replies, files, groups; and the actions of the operator.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPhone } from '@msgnet/console/format-id.ts'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type Device } from '../device.ts'
import { readMediaFile } from '../media-files.ts'
import { until } from '../until.ts'
import {
  expectDiscreet,
  findAccessibilityFaults,
  findHiddenButtons,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** In the browser: a file that is dragged out of another window. */
const dragFile = (name: string, type: string, base64: string) => `(() => {
  const dragged = new DataTransfer()
  const bytes = Uint8Array.from(atob('${base64}'), (letter) => letter.charCodeAt(0))
  dragged.items.add(new File([bytes], '${name}', { type: '${type}' }))
  return dragged
})()`
const draggedPicture = dragFile('window.png', 'image/png', pixel)

interface InboxMessage {
  type: string
  text: string
}

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let guest: Visit
  let page: Page
  let device: Device
  let number = ''
  let friend = ''
  let other = ''

  beforeAll(async () => {
    world = await borrowWorld()
    device = await createDevice(world, 'Flower shop')
    number = await createPhone(world, 'Ana')
    friend = await createPhone(world, 'Bruno')
    other = await createPhone(world, 'Clara')
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  const readInbox = async (of: string) =>
    (await world.sim('GET', `/phones/${of}/inbox`)).messages as InboxMessage[]
  /** In pixels of its own; it is there only once the browser has read it. */
  const measureWidth = (picture: Locator): Promise<number> =>
    picture.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)
  const findBubble = (text: string): Locator => page.locator('.bubble').filter({ hasText: text })
  const chooseAction = async (text: string, name: string) => {
    await findBubble(text).hover()
    await findBubble(text).getByRole('button', { name: 'Actions for this message' }).click()
    await findBubble(text).getByRole('button', { name, exact: true }).click()
  }

  test('a proxy is saved, shown without its password, and removed', async () => {
    await page.getByRole('link', { name: 'Proxy', exact: true }).click()
    await page.getByText('No proxy: the host connects directly.').waitFor()
    await page.getByLabel('Proxy address').fill('socks5://ana:secret@127.0.0.1:1080')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('socks5://ana:***@127.0.0.1:1080').waitFor()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No proxy: the host connects directly.').waitFor()
    expect((await device.caller.get('/instance/proxy')).body).toEqual({ enabled: false, proxy_url: '' })
  })

  test('a phone is linked by a code that is typed on it', async () => {
    await page.getByRole('link', { name: 'Device', exact: true }).click()
    await page.getByText('Pairing code').click()
    await page.getByLabel('Phone number').fill(number)
    await page.getByRole('button', { name: 'Get a code' }).click()
    const code = await page.locator('.pairing-code').textContent()
    await page.getByText(/Valid for \d+ s/).waitFor()
    await world.sim('POST', `/phones/${number}/code`, { code })
    await page.getByText('Linked and connected.').waitFor()
  })

  test('a reply quotes the message that it replies to', async () => {
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await world.sim('POST', '/messages', { from: friend, to: number, text: 'Are there roses?' })
    await page.getByRole('link', { name: new RegExp(`Bruno|${friend}`) }).click()
    await chooseAction('Are there roses?', 'Reply')
    await page.getByText('Reply to: Are there roses?').waitFor()
    await page.getByLabel('Write a message').fill('Red ones.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await findBubble('Red ones.').locator('blockquote').getByText('Are there roses?').waitFor()
    await until(async () => (await readInbox(friend)).some(({ text }) => text === 'Red ones.'))
  })

  test('beside a long text that is replied to, every button stays in sight, on a wide and a small screen', async () => {
    const long = `Do you have ${'red and white roses, '.repeat(12)}or ${'x'.repeat(120)}?`
    await world.sim('POST', '/messages', { from: friend, to: number, text: long })
    await chooseAction('red and white roses', 'Reply')
    await page.getByText('Reply to: Do you have').waitFor()
    await page.getByLabel('Write a message').fill(long)
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await findHiddenButtons(page)).toEqual([])
    }
    await page.setViewportSize({ width: 1360, height: 900 })
    await page.locator('.composer').getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Write a message').fill('')
  })

  test('a text has the formatting of the network and links, and is otherwise what was written', async () => {
    const text =
      'Order *no. 7* is _almost ~not~_ ready: see https://shop.example/7?a_b=1*2, or run `cut -f2`.\n2*3*4 snake_case_name ~ * <b>no</b> javascript:alert(1)'
    await world.sim('POST', '/messages', { from: friend, to: number, text })
    const shown = findBubble('Order').locator('.bubble-text')
    await shown.waitFor()
    const findAll = (selector: string) => shown.locator(selector).allTextContents()
    expect({
      bold: await findAll('strong'),
      italic: await findAll('em'),
      struck: await findAll('em s'),
      code: await findAll('code'),
      links: await findAll('a'),
      rest: await shown.textContent(),
    }).toEqual({
      bold: ['no. 7'],
      italic: ['almost not'],
      struck: ['not'],
      code: ['cut -f2'],
      links: ['https://shop.example/7?a_b=1*2'],
      rest: text.replace('*no. 7*', 'no. 7').replace('_almost ~not~_', 'almost not').replaceAll('`', ''),
    })
    expect(await shown.locator('a').getAttribute('rel')).toBe('noreferrer')
  })

  test('a message is forwarded to another number', async () => {
    await chooseAction('Red ones.', 'Forward')
    await page.getByLabel('To', { exact: true }).fill(other)
    await page.locator('dialog').getByRole('button', { name: 'Forward' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await until(async () => (await readInbox(other)).some(({ text }) => text === 'Red ones.'))
  })

  test('an emoji is chosen by keys into the text at the cursor, and as a reaction', async () => {
    const field = page.getByLabel('Write a message')
    await field.fill('Good  today')
    await page.evaluate("document.querySelector('.composer textarea').setSelectionRange(5, 5)")
    await page.getByRole('button', { name: 'Emoji' }).click()
    const dialog = page.getByRole('dialog', { name: 'Emoji' })
    await dialog.getByRole('button', { name: 'Nature' }).click()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await until(() =>
      dialog.getByRole('button', { name: '🐱' }).evaluate((button) => button.matches(':focus')),
    )
    await page.keyboard.press('Enter')
    await until(async () => (await field.inputValue()) === 'Good 🐱 today')
    await field.fill('')
    await chooseAction('Red ones.', 'Another emoji')
    await dialog.getByRole('button', { name: '😎' }).click()
    await findBubble('Red ones.').getByText('😎').first().waitFor()
  })

  test('an emoji is found by its name in all groups', async () => {
    const field = page.getByLabel('Write a message')
    await page.getByRole('button', { name: 'Emoji' }).click()
    const dialog = page.getByRole('dialog', { name: 'Emoji' })
    await dialog.getByLabel('Search emoji').fill('Hóuse')
    await until(async () => (await dialog.locator('fieldset button').allTextContents()).join() === '🏠')
    await dialog.getByLabel('Search emoji').fill('heart')
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await until(async () => (await field.inputValue()) === '🧡')
    await field.fill('')
  })

  test('a message is forwarded to people of the list, several at once', async () => {
    await chooseAction('Red ones.', 'Forward')
    const dialog = page.getByRole('dialog', { name: 'Forward' })
    await dialog.getByRole('checkbox').nth(1).waitFor()
    expect(await dialog.getByRole('button', { name: 'Forward' }).isDisabled()).toBe(true)
    await page.getByLabel('To', { exact: true }).fill(other)
    await until(async () => (await dialog.getByRole('checkbox').count()) === 1)
    await dialog.getByRole('checkbox').check()
    await until(async () => (await dialog.getByRole('checkbox').count()) > 1)
    await dialog.getByRole('checkbox', { checked: false }).first().check()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Forward' }).click()
    await dialog.waitFor({ state: 'detached' })
    await until(async () => (await readInbox(other)).filter(({ text }) => text === 'Red ones.').length === 2)
  })

  test('a picture that is dropped on the messages is sent, and is shown when it comes into view', async () => {
    const dataTransfer = await page.evaluateHandle(draggedPicture)
    await page.locator('.bubble').last().dispatchEvent('drop', { dataTransfer })
    await page.getByText('File: window.png').waitFor()
    await page.getByLabel('Write a message').fill('Our new window')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await until(async () => (await readInbox(friend)).some(({ type }) => type === 'image'))
    await page.getByRole('img', { name: 'Our new window' }).waitFor()
    await until(async () => (await page.evaluate("document.querySelector('img.media').naturalWidth")) === 1)
  })

  test('several files that are dropped are shown before they go, pictures as such; one is taken out, and the text goes with the first', async () => {
    const dataTransfer = await page.evaluateHandle(draggedPicture)
    await dataTransfer.evaluate((dragged) => {
      for (const name of ['prices.txt', 'wrong.txt'])
        (dragged as unknown as { items: Set<File> }).items.add(new File([name], name, { type: 'text/plain' }))
    })
    await page.locator('.bubble').last().dispatchEvent('drop', { dataTransfer })
    const previews = page.locator('.previews li')
    await until(async () => (await previews.count()) === 3)
    await until(async () => (await measureWidth(previews.locator('img'))) === 1)
    expect(await findHiddenButtons(page)).toEqual([])
    await previews.filter({ hasText: 'wrong.txt' }).getByRole('button').click()
    await page.getByLabel('Write a message').fill('Window and prices')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await until(async () => (await readInbox(friend)).at(-1)?.type === 'document')
    expect((await readInbox(friend)).slice(-2).map(({ type }) => type)).toEqual(['image', 'document'])
    await page.getByRole('img', { name: 'Window and prices' }).waitFor()
    expect(await findBubble('Window and prices').count()).toBe(1)
    expect(await previews.count()).toBe(0)
  })

  test('what is written to a sound goes as a text before it: phones show no words with a sound', async () => {
    const base64 = readMediaFile('voice.mp3').toString('base64')
    const dataTransfer = await page.evaluateHandle(dragFile('song.mp3', 'audio/mpeg', base64))
    await page.locator('.bubble').last().dispatchEvent('drop', { dataTransfer })
    await page.getByLabel('Write a message').fill('Our song')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await until(async () => (await readInbox(friend)).at(-1)?.type === 'audio')
    expect((await readInbox(friend)).at(-2)).toMatchObject({ type: 'text', text: 'Our song' })
  })

  test('a group is created and renamed, gets a picture, and its members change', async () => {
    await page.getByRole('link', { name: 'Groups' }).click()
    await page.getByRole('button', { name: 'New group' }).click()
    const dialog = page.locator('dialog')
    await dialog.getByLabel('Name').fill('Regulars')
    await dialog.getByLabel('Members').fill(friend)
    await dialog.getByRole('button', { name: 'New group' }).click()
    await page.getByRole('heading', { name: 'Regulars' }).waitFor()
    const [group] = (await device.caller.get('/group/list')).body.groups
    const readGroup = async () => (await world.sim('GET', `/groups/${group.JID}`)) as Record<string, unknown>

    await page.getByLabel('Name').fill('Friends of the shop')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Friends of the shop' }).waitFor()

    await page
      .getByLabel('Picture')
      .setInputFiles({ name: 'window.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') })
    await page.getByRole('button', { name: 'Set the picture' }).click()
    await until(async () => (await readGroup()).picture)
    const shown = page.locator('li.card').locator('.line.still').first().locator('img.face')
    await until(async () => (await shown.getAttribute('src'))?.startsWith('data:image/jpeg;base64,'))
    await until(async () => (await measureWidth(shown)) > 0)

    await page.getByLabel('Add a number').fill(other)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const readRoles = async () =>
      ((await readGroup()).participants as { jid: string; role: string }[]).map(({ jid, role }) => [
        jid.split('@')[0],
        role,
      ])
    await until(async () => (await readRoles()).some(([jid]) => jid === other))
    const clara = page.locator('li.line').filter({ hasText: new RegExp(`Clara|${other.slice(-4)}`) })
    await clara.getByRole('button', { name: 'Make admin' }).click()
    await clara.getByText('Admin', { exact: true }).waitFor()
    expect(await readRoles()).toContainEqual([other, 'admin'])
    const own = page.locator('li.line').filter({ hasText: 'You' })
    await own.waitFor()
    expect(await own.getByRole('button').count()).toBe(0)
    await clara.getByRole('button', { name: 'Remove' }).click()
    await clara.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove the picture' }).click()
    await until(async () => !(await readGroup()).picture)
    await shown.waitFor({ state: 'detached' })
  })

  test('a member of a group has the name of the address book in place of the number', async () => {
    const dora = await createPhone(world, 'Dora')
    await device.caller.post('/contact/add', { phone: dora, name: 'Dora of the office' })
    await device.caller.post('/group/create', { name: 'Office', participants: [dora] })
    await page.getByRole('link', { name: 'Device', exact: true }).click()
    await page.getByRole('link', { name: 'Groups', exact: true }).click()
    const office = page.locator('li.card').filter({ hasText: 'Office' })
    await office.getByRole('button', { name: '2 members' }).click()
    await office.getByText('Dora of the office').waitFor()
    expect(await office.getByText(formatPhone(dora)).count()).toBe(0)
  })

  test('the number of an open chat is copied, as it is dialled', async () => {
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('link', { name: /Bruno/ }).click()
    await page.getByRole('button', { name: 'Copy number' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`+${friend}`)
  })

  test('a contact with a picture is shown with it, in the list of chats and above the chat', async () => {
    const picture = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#0f766e' } })
      .jpeg()
      .toBuffer()
    const painter = await createPhone(world, 'Dora')
    await world.sim('PATCH', `/phones/${painter}/profile`, { picture: picture.toString('base64') })
    await world.sim('POST', '/messages', { from: painter, to: number, text: 'A picture of mine' })
    await page.getByRole('link', { name: 'Conversation' }).click()
    const chat = page.locator('.chat').filter({ hasText: 'Dora' })
    await until(async () => (await measureWidth(chat.locator('img.face'))) === 96)
    await chat.click()
    await until(async () => (await measureWidth(page.locator('.thread img.face'))) === 96)
    // A contact without a picture has initials.
    await page.locator('.chat').filter({ hasText: 'Bruno' }).getByText('BR', { exact: true }).waitFor()
  })

  test('the server’s webhook is saved, gets another secret, and is deleted', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await page.getByRole('link', { name: 'Server webhook' }).click()
    const secret = page.locator('.secret code')
    const saveForm = async () => {
      await page.getByRole('button', { name: 'Save' }).click()
      // The form is a new one once it is saved.
      await secret.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Use the simulation’s own receiver' }).click()
    await page.getByRole('button', { name: 'Create a secret' }).click()
    const first = await secret.textContent()
    await saveForm()
    await page.getByText('A secret is set. It is stored encrypted and never shown.').waitFor()
    expect((await device.caller.get('/webhook')).body).toMatchObject({
      inheritedGlobal: true,
      hasSecret: true,
    })

    await page.getByRole('button', { name: 'Create a new secret' }).click()
    expect(await secret.textContent()).not.toBe(first)
    await page.getByText(/For 24 hours every delivery has two signatures/).waitFor()
    await saveForm()
    expect((await device.caller.post('/webhook/test')).body).toMatchObject({ delivered: true, status: 204 })

    await page.getByRole('button', { name: 'Remove the server’s webhook' }).click()
    await page.getByText('Off', { exact: true }).waitFor()
    expect((await device.caller.get('/webhook')).body.registered).toBe(false)
  })

  test('a hidden page sends no requests, and reloads at once when it is visible again', async () => {
    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.getByText('Flower shop').waitFor()
    const setHidden = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} })
        document.dispatchEvent(new Event('visibilitychange'))`)
    const waitForRefresh = () => page.waitForRequest((request) => request.url().includes('/v1/instances?'))
    await waitForRefresh()
    await setHidden(true)
    await createDevice(world, 'Made while nobody looked')
    const again = waitForRefresh()
    await setHidden(false)
    await again
    await page.getByText('Made while nobody looked').waitFor()
  })

  test('a host is drained after the confirmation', async () => {
    await page.getByRole('link', { name: 'Hosts' }).click()
    await page.getByRole('button', { name: 'Drain' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Drain' }).click()
    await page.getByText('Draining').waitFor()
    const { hosts } = (await world.admin.get('/v1/hosts')).body
    expect(hosts.map(({ draining }: { draining: boolean }) => draining)).toEqual([true])
  })

  test('no page caused an error in the browser', () => {
    expectDiscreet(guest, world.run.baseUrl, [device.token])
  })
})
