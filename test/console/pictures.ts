// `npm run pictures`: takes the pictures of the README and of the documentation from a gateway of its own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { closeBrowser, signIn, visitPage } from './browser.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'pictures')
const COLOURS = 64

const world = await startWorld()
const guest = await visitPage(world.run.baseUrl, '/console')
const { page } = guest
async function takePicture(name: string, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.mouse.move(width - 1, height - 1)
  await page.evaluate('document.activeElement.blur()')
  await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))')
  const png = await page.screenshot()
  await sharp(png)
    .png({ palette: true, colours: COLOURS, effort: 10 })
    .toFile(join(folder, `${name}.png`))
}

const findButton = (name: string): Locator => page.getByRole('button', { name, exact: true })
const findTab = (name: string): Locator => page.getByRole('link', { name, exact: true })

async function writeText(text: string): Promise<void> {
  await page.getByLabel('Write as Bruno').fill(text)
  await findButton('Write').click()
  await page.getByText(`Received: ${text}`).waitFor()
}

async function takeSimulation(): Promise<void> {
  await findTab('Simulation').click()
  await findButton('New instance').click()
  await findButton('Show a QR code').click()
  await findButton('Scan the QR code').click()
  await page.getByRole('heading', { name: 'Bruno’s phone' }).waitFor()
  await findButton('Deliver this instance’s events here').click()
  await page.getByText('No delivery yet.').waitFor()
  await writeText('Good morning! Are there roses today?')
  await writeText('Red ones, for a birthday.')
  await page.getByLabel('Send to Bruno').fill('Good morning, Bruno! Fresh ones, from nine on.')
  await findButton('Send').click()
  await page.getByText('Receipt: Delivered.').waitFor()
  await findButton('Mark as read').click()
  await page.getByText('Receipt: Read.').waitFor()
  await findButton('Silent').click()
  await page.getByText('The network no longer responds.').waitFor()
  await findButton('Send').click()
  await page.getByText(/504 outcome_unknown/).waitFor()
  await until(async () => (await page.locator('.received li').count()) >= 4)
  await takePicture('simulation', 1480, 1070)
  await findButton('End all faults').click()
  await page.getByText('All faults are ended.').waitFor()
}

async function takeDeliveries(): Promise<void> {
  await page.getByRole('radio', { name: /410/ }).click()
  await until(() => page.getByRole('radio', { name: /410/ }).isChecked())
  await writeText('And tulips?')
  await page.locator('.received').getByText('410').first().waitFor()
  await findTab('Instances').click()
  await page
    .getByRole('row', { name: /Simulation/ })
    .getByRole('link')
    .click()
  await findTab('Deliveries').click()
  await page.getByText('Dead', { exact: true }).last().waitFor()
  await takePicture('deliveries', 1360, 860)
}

async function takeInstances(): Promise<void> {
  const names = [
    'Bakery',
    'Bike repair',
    'Book store',
    'Cinema',
    'Dentist',
    'Florist Rosa',
    'Garage',
    'Hotel Sol',
  ]
  for (const name of names) await world.admin.post('/instance/init', { name, companyId: 'acme' })
  await findTab('Instances').click()
  await page.getByText('Hotel Sol').waitFor()
  // The counts of the filters follow within seconds.
  await page.getByRole('button', { name: /Never linked\s*8/ }).waitFor()
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await takePicture('instances-dark', 1360, 860)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** A picture of a generic face: a colour and a shape. */
const drawFace = async (ground: string, skin: string, hair: string): Promise<string> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="240"><rect width="240" height="240" fill="${ground}"/>
    <circle cx="120" cy="98" r="62" fill="${hair}"/><circle cx="120" cy="112" r="48" fill="${skin}"/>
    <path d="M30 240c0-56 40-84 90-84s90 28 90 84z" fill="${hair}"/></svg>`
  return (await sharp(Buffer.from(svg)).jpeg().toBuffer()).toString('base64')
}

/** The network counts in seconds: what comes in one of them has no order. */
function waitForNextSecond(): Promise<unknown> {
  const second = Math.floor(Date.now() / 1000)
  return until(() => Math.floor(Date.now() / 1000) > second)
}

async function takeConversation({ sim }: World): Promise<void> {
  const device = await linkDevice(world, await createDevice(world, 'Flower shop'))
  const people = [
    ['Clara', 'Thank you, they are lovely!', await drawFace('#fde68a', '#f2c9a1', '#7c2d12')],
    ['Diego', 'Can you deliver on Sunday?', ''],
    ['Elena', 'A table for the fair?', await drawFace('#bae6fd', '#d9a06b', '#111827')],
    ['Bruno', 'Good morning! Are there roses today?', await drawFace('#99f6e4', '#e8b58e', '#3f2a1d')],
  ] as const
  let bruno = ''
  for (const [name, text, picture] of people) {
    bruno = await createPhone(world, name)
    if (picture) await sim('PATCH', `/phones/${bruno}/profile`, { picture })
    await sim('POST', '/messages', { from: bruno, to: device.number, text })
  }
  const sendText = async (text: string) => {
    await waitForNextSecond()
    return device.caller.post('/send/text', { number: bruno, text })
  }
  const receiveText = async (text: string) => {
    await waitForNextSecond()
    await sim('POST', '/messages', { from: bruno, to: device.number, text })
  }
  await sendText('Good morning, Bruno! Fresh ones, from nine on.')
  await receiveText('Red ones, for a birthday. A dozen.')
  const { body } = await sendText('I put them aside for you: twelve red ones, until noon.')
  await sim('POST', `/messages/${body.messageid}/receipt`, { by: bruno, type: 'read' })
  await receiveText('You are the best. See you at ten!')
  await findButton('Sign out').click()
  await signIn(page, device.token)
  await findTab('Conversation').click()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('link', { name: /Bruno/ }).click()
  const last = page.locator('.bubble').filter({ hasText: 'See you at ten!' })
  await last.hover()
  await last.getByRole('button', { name: 'Actions for this message' }).click()
  await last.getByRole('button', { name: 'React with ❤️' }).click()
  await page.locator('.reactions').waitFor()
  await until(async () => (await page.locator('img.face').count()) >= 4)
  await takePicture('conversation', 1360, 860)
}

try {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
  await takeSimulation()
  await takeDeliveries()
  await takeInstances()
  await takeConversation(world)
} finally {
  await guest.close()
  await closeBrowser()
  await world.close()
}
