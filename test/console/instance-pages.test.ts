// The pages of an instance about its account: profile, privacy, calls, invitations, links and the export, by clicks.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPhone } from '@msgnet/console/format-id.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { expectDiscreet, hasOverflow, inBrowser, noBrowser, type Visit, visitPage } from './browser.ts'
import { checkPage, signIn } from './page-check.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let device: LinkedDevice
  let guest: Visit
  let page: Page
  let anna = ''
  let bert = ''
  const secrets: string[] = []

  beforeAll(async () => {
    world = await startWorld({ CALLS: 'on' })
    secrets.push(readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    anna = await createPhone(world, 'Anna')
    bert = await createPhone(world, 'Bert')
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, secrets[0] ?? '')
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  const toAddress = (tab: string, id = device.id) => `${world.run.baseUrl}/console#/instances/${id}/${tab}`
  const openTab = (name: string) => page.locator('.subnav').getByRole('link', { name, exact: true }).click()
  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
  const waitForClosed = () => until(async () => (await dialog().count()) === 0)
  const readProfile = (): Promise<Seen> => world.sim('GET', `/phones/${device.number}/profile`)
  const refuseNext = (wish: object) =>
    world.sim('POST', '/faults', { kind: 'refuse', number: device.number, count: 1, ...wish })

  test('pages that ask the network say that the device is to be linked first', async () => {
    const fresh = await createDevice(world, 'Not linked')
    await page.goto(toAddress('contacts', fresh.id))
    await page.getByText('The device is not linked').waitFor()
    await checkPage(page)
    await page.getByRole('link', { name: 'To the device' }).click()
    await page.getByRole('button', { name: 'Show a QR code' }).waitFor()
  })

  test('a live link is listed with its end, its address is not shown again, and a new one is made beside it', async () => {
    await clickButton('Send a link')
    await inDialog('Create the link')
    secrets.push((await dialog().locator('.secret code').textContent()) ?? '')
    await inDialog('Close')
    const links = page.getByRole('region', { name: 'Links that can be used' })
    await links.getByText(/^As the browser · ends .*\d:\d\d/).waitFor()
    await links.getByText('The address of a link is shown only when it is created').waitFor()
    await checkPage(page)
    await links.getByRole('button', { name: 'Make a new one' }).click()
    await inDialog('Create the link')
    secrets.push((await dialog().locator('.secret code').textContent()) ?? '')
    expect(secrets.at(-1)).not.toBe(secrets.at(-2))
    await inDialog('Close')
    await until(async () => (await links.getByRole('button', { name: 'End it' }).count()) === 2)
    await links.getByRole('button', { name: 'End it' }).first().click()
    await until(async () => (await links.getByRole('button', { name: 'End it' }).count()) === 1)
  })

  test('a device of another program is imported from its file; a file that is torn is refused with the number of its line', async () => {
    const fresh = await createDevice(world, 'Moves in')
    await page.goto(toAddress('device', fresh.id))
    await page.getByText('Or bring the device from another program').click()
    const chooseFile = (text: string) =>
      page
        .getByLabel('The file with the credential')
        .setInputFiles({ name: 'device.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) })
    await chooseFile(credentialLines.split('\n').slice(0, 3).join('\n'))
    await clickButton('Import and connect')
    await page.getByText('Line 4: It is missing').waitFor()
    await checkPage(page)
    const release = Promise.withResolvers<void>()
    await page.route('**/instance/import', async (route) => {
      await release.promise
      await route.continue()
    })
    await chooseFile(credentialLines)
    await clickButton('Import and connect')
    const bar = page.getByRole('progressbar', { name: 'How much has been sent' })
    await bar.waitFor()
    expect(await bar.getAttribute('max')).toBe(String(Buffer.byteLength(credentialLines)))
    await page.getByText(/^0 byte of .*kB sent$/).waitFor()
    await checkPage(page)
    release.resolve()
    const isImported = ({ action, target, outcome }: Seen) =>
      action === 'instance.import' && target === fresh.id && outcome === 'done'
    await until(async () => (await world.admin.get('/v1/audit')).body.entries.some(isImported))
    // The network knows no device with invented keys.
    await until(async () => (await fresh.caller.get('/instance/status')).body.instance.lastDisconnectReason)
  })

  describe('profile and privacy', () => {
    test('the name is changed; a picture is cropped to the square that was chosen, and removed', async () => {
      await page.goto(toAddress('profile'))
      await page.getByLabel('Name', { exact: true }).fill('The flower shop')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('Now: The flower shop').waitFor()
      expect((await readProfile()).name).toBe('The flower shop')
      const wide = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#c00' } })
        .composite([
          {
            input: { create: { width: 100, height: 100, channels: 3, background: '#00c' } },
            left: 0,
            top: 0,
          },
        ])
        .png()
        .toBuffer()
      await page
        .getByLabel('Choose a picture')
        .setInputFiles({ name: 'w.png', mimeType: 'image/png', buffer: wide })
      await dialog().getByRole('img', { name: 'The part that is shown' }).waitFor()
      await dialog().getByLabel('Left to right').fill('0')
      await checkPage(page)
      await inDialog('Use this picture')
      await waitForClosed()
      const { picture } = await until(async () => {
        const profile = await readProfile()
        return profile.picture && profile
      })
      expect([picture.width, picture.height]).toEqual([640, 640])
      const shown = page.locator('.large-portrait img')
      await until(async () => (await shown.getAttribute('src'))?.startsWith('data:image/jpeg;base64,'))
      const jpeg = Buffer.from((await shown.getAttribute('src'))?.split(',')[1] ?? '', 'base64')
      const { dominant } = await sharp(jpeg).stats()
      expect(dominant.b).toBeGreaterThan(dominant.r)
      await checkPage(page)
      await clickButton('Remove the picture')
      await until(async () => !(await readProfile()).picture)
    })

    test('a file that is no picture is named as such', async () => {
      await page
        .getByLabel('Choose a picture')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
      await dialog().getByText('The browser cannot read this file as a picture.').waitFor()
      await inDialog('Cancel')
    })

    test('the instance gets another name and a wait before sends', async () => {
      await page.getByLabel('Name of the instance').fill('Shop')
      await page.getByRole('button', { name: 'Save' }).nth(1).click()
      await page.getByRole('heading', { level: 1, name: /^Shop/ }).waitFor()
      await page.getByLabel('Longest wait before a send').fill('3')
      await page.getByRole('button', { name: 'Save' }).nth(2).click()
      await until(async () => (await device.caller.get('/instance/status')).body.instance.msg_delay_max === 3)
    })

    test('a privacy setting is changed at once; one that the network refuses stays and says so', async () => {
      await openTab('Privacy')
      await page.getByLabel('Last seen').selectOption({ label: 'Nobody' })
      await until(async () => (await readProfile()).privacy.last === 'none')
      await until(async () => (await page.getByLabel('Last seen').inputValue()) === 'none')
      await checkPage(page)
      await refuseNext({ xmlns: 'privacy', tag: 'set privacy', code: 403 })
      await page.getByLabel('Groups', { exact: true }).selectOption({ label: 'My contacts' })
      await page.getByText('The network refused this.').waitFor()
      expect(await page.getByLabel('Groups', { exact: true }).inputValue()).toBe('all')
      await checkPage(page)
    })

    test('a page that the network refuses says so', async () => {
      await refuseNext({ xmlns: 'blocklist', tag: 'get ', code: 403 })
      await openTab('Blocked')
      await page.getByText('The network refused this.').waitFor()
      await page.getByText('422 operation_refused').waitFor()
      await checkPage(page)
    })
  })

  describe('calls', () => {
    test('an instance of another kind says which kind gets calls', async () => {
      await openTab('Calls')
      await page.getByText('This instance gets no calls').waitFor()
      await checkPage(page)
    })

    test('a call appears as it rings, and is rejected by a click', async () => {
      const voice = await linkDevice(world, await createDevice(world, 'Voice', 'calls'))
      await page.goto(toAddress('calls', voice.id))
      await page.getByText('No call yet').waitFor()
      const { callId } = await world.sim('POST', '/calls', { from: anna, to: voice.number, video: true })
      const row = page.locator('.log-row').filter({ hasText: anna.slice(-4) })
      await row.getByText('Rings').waitFor()
      await row.getByText('Video call').waitFor()
      await checkPage(page)
      await row.getByRole('button', { name: 'Reject' }).click()
      await row.getByText('Rejected').waitFor()
      expect(await world.sim('GET', `/calls/${callId}`)).toMatchObject({ state: 'reject' })
    })
  })

  describe('invitations to groups', () => {
    let own = ''

    test('the link of a group is shown with its QR code, and a renewal ends it after a question', async () => {
      own = (await device.caller.post('/group/create', { name: 'Regulars', participants: [bert] })).body.JID
      await page.goto(toAddress('groups'))
      await clickButton('2 members')
      const invitation = page.getByRole('region', { name: 'Invitation' })
      await invitation.getByRole('button', { name: 'Show the invitation' }).click()
      const first = (await invitation.locator('code').textContent()) ?? ''
      expect(first).toContain(String((await world.sim('GET', `/groups/${own}`)).invite))
      await invitation.getByRole('img', { name: 'QR code with the invitation' }).waitFor()
      await checkPage(page)
      await invitation.getByRole('button', { name: 'Renew the invitation' }).click()
      await checkPage(page)
      await inDialog('Renew')
      await until(async () => (await invitation.locator('code').textContent()) !== first)
      expect(await invitation.locator('code').textContent()).toContain(
        String((await world.sim('GET', `/groups/${own}`)).invite),
      )
    })

    test('a group is joined by its link, after it is shown; a wrong link says so', async () => {
      const { jid } = await world.sim('POST', '/groups', { subject: 'Wholesale', owner: anna })
      const { invite } = await world.sim('GET', `/groups/${jid}`)
      await clickButton('Join a group')
      await dialog().getByLabel('Invitation').fill('AAAAAAAAAAAAAAAAAAAAAA')
      await inDialog('Show the group')
      await dialog().getByText('404 group_not_found').waitFor()
      await checkPage(page)
      await dialog().getByLabel('Invitation').fill(String(invite))
      await inDialog('Show the group')
      await dialog().getByText('Wholesale').waitFor()
      await checkPage(page)
      await inDialog('Join')
      await page.getByRole('heading', { name: 'Wholesale' }).waitFor()
    })

    test('where admins decide, a request to join is approved by the number of who asked', async () => {
      await world.sim('PATCH', `/groups/${own}`, { by: device.number, approval: true })
      const asker = await linkDevice(world, await createDevice(world, 'Asker'))
      const { invite } = await world.sim('GET', `/groups/${own}`)
      await asker.caller.post('/group/join', { invitecode: invite })
      await page.reload()
      await signIn(page, secrets[0] ?? '')
      const card = page.locator('li.card').filter({ hasText: 'Regulars' })
      await card.getByRole('button', { name: '2 members' }).click()
      const requests = page.getByRole('region', { name: 'Requests to join' })
      await requests.getByLabel('Number').fill(asker.number)
      await checkPage(page)
      await requests.getByRole('button', { name: 'Approve' }).click()
      await requests.getByText('Done.').waitFor()
      const { participants } = (await world.sim('GET', `/groups/${own}`)) as Seen
      expect(participants.map(({ jid }: Seen) => jid)).toContain(`${asker.number}@s.msgnet.net`)
    })
  })

  describe('the export', () => {
    test('is written to a file on disk, counted while it runs, and downloaded complete', async () => {
      await device.caller.post('/send/text', { number: bert, text: 'in the export' })
      await page.goto(toAddress('export'))
      await page.getByText('Everything that is stored about this instance').waitFor()
      expect(await page.getByText('stores the file in memory').count()).toBe(0)
      await checkPage(page)
      await clickButton('Export')
      await page.getByText('The file is complete.').waitFor()
      await checkPage(page)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('Shop.ndjson')
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines.at(-1).type).toBe('end')
      expect(JSON.stringify(lines.filter(({ type }) => type === 'message'))).toContain('in the export')
      const records = await page.locator('.stat', { hasText: 'Records' }).locator('.stat-value').textContent()
      expect(Number(records)).toBe(lines.length - 1)
    })

    test('needs an admin: the token of an instance is told so', async () => {
      const other = await visitPage(world.run.baseUrl, `/console#/instances/${device.id}/export`)
      await signIn(other.page, device.token)
      await other.page.getByText('Only an admin can export').waitFor()
      await other.close()
    })
  })

  test('a token that may only read sees the state, no buttons, no refusals, and asks for no event stream', async () => {
    const { token } = (await world.admin.post('/v1/tokens', { name: 'Watcher', scope: 'read' })).body
    secrets.push(token)
    const other = await visitPage(world.run.baseUrl, `/console#/instances/${device.id}/device`)
    const statuses: number[] = []
    other.page.on('response', (response) => statuses.push(response.status()))
    await signIn(other.page, token)
    await other.page.getByText('Your token may only read').waitFor()
    await other.page.getByText(formatPhone(device.number)).waitFor()
    for (const name of ['Restart', 'Disconnect', 'Delete', 'Replace token'])
      expect(await other.page.getByRole('button', { name }).count()).toBe(0)
    for (const name of ['Conversation', 'Contacts', 'Groups', 'Profile', 'Export']) {
      await other.page.locator('.subnav').getByRole('link', { name, exact: true }).click()
      await other.page.locator('.subnav [aria-current]', { hasText: name }).waitFor()
      await other.page.getByText('Your token may only read').waitFor()
    }
    await other.page.locator('.subnav').getByRole('link', { name: 'Deliveries', exact: true }).click()
    await other.page.locator('.subnav [aria-current]', { hasText: 'Deliveries' }).waitFor()
    await other.page.locator('.delivery-row').first().waitFor()
    await checkPage(other.page)
    expect(statuses.filter((status) => status >= 400)).toEqual([])
    expect(other.requests.filter((url) => url.includes('/stream'))).toEqual([])
    await other.page.locator('nav.side').getByRole('link', { name: 'Instances', exact: true }).click()
    await other.page.getByText('Shop').first().waitFor()
    expect(await other.page.getByRole('button', { name: 'New instance' }).count()).toBe(0)
    await other.close()
  })

  test.each([
    ['pt-BR', portuguese],
    ['es', spanish],
  ] as const)('every page is there in %s, also on a small screen', async (locale, words) => {
    const other = await visitPage(world.run.baseUrl, `/console#/instances/${device.id}/contacts`, { locale })
    await signIn(other.page, secrets[0] ?? '')
    await other.page.setViewportSize({ width: 360, height: 800 })
    const { people, account, instance } = words
    const pages = [
      [instance.tabs.contacts, people.contacts.description],
      [instance.tabs.labels, people.labels.description],
      [instance.tabs.blocked, people.blocked.description],
      [instance.tabs.profile, account.profile.description],
      [instance.tabs.privacy, account.privacy.description],
      [instance.tabs.calls, account.calls.otherKind],
      [instance.tabs.export, account.export.description],
    ] as const
    for (const [name, text] of pages) {
      await other.page.locator('.subnav-choice').selectOption({ label: name })
      await other.page.getByText(text).waitFor()
      expect(await hasOverflow(other.page)).toBe(false)
    }
    await other.close()
  })

  test('the device says since when its messages are here, and which gap a new linking has left', async () => {
    const moved = await linkDevice(world, await createDevice(world, 'Linked anew'))
    await world.sim('POST', '/phones', { number: moved.number, history: [] })
    await page.goto(toAddress('device', moved.id))
    await page.getByText('Messages since').waitFor()
    expect(await page.getByText('Gap', { exact: true }).count()).toBe(0)
    await moved.caller.post('/instance/disconnect')
    const { body } = await moved.caller.post('/instance/connect')
    await world.sim('POST', `/phones/${moved.number}/scan`, { qr: body.pairing.qr })
    await page.getByText('the phone has sent nothing of it yet').waitFor()
    expect(await page.getByText('Gap', { exact: true }).count()).toBe(1)
    await checkPage(page)
  })

  test('on a small screen the pages are a choice, and an old address leads to its page', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(toAddress('deliveries'))
    await until(async () => (await page.locator('.subnav-choice').inputValue()) === 'deliveries')
    await page.locator('.subnav-choice').selectOption({ label: 'Privacy' })
    await page.getByText('What this account lets others see and do.').waitFor()
    expect(page.url()).toContain(`/instances/${device.id}/privacy`)
  })

  test('no address, and no request elsewhere, has had a token', () => {
    expectDiscreet(guest, world.run.baseUrl, secrets)
  })
})
