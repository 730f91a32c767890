// Previews of links in texts: what a page says of itself, what the caller says, and pages of which a text gets none.

import { createServer } from 'node:http'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const files = await startFileServer()
const { world, device, waitForMessage, waitForEvent } = await borrowScene()
const number = await createPhone(world)

const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#3388aa' } })
  .jpeg()
  .toBuffer()
files.serveFile('/shop/cover.jpg', picture, 'image/jpeg')
const servePage = (path: string, html: string | Buffer, mimetype = 'text/html; charset=utf-8') =>
  files.serveFile(path, Buffer.from(html as string), mimetype)
const shop = servePage(
  '/shop/page',
  `<!doctype html><html><head><title>The title of the tab</title>
  <meta property="og:title" content="The Shop &amp; more">
  <meta name='description' content='Bread,
    fresh'><meta property=og:image content="cover.jpg"></head><body><p>…`,
)
const words = { title: 'The Shop & more', description: 'Bread, fresh' }

const send = (text: string, fields: object = { linkPreview: true }, headers: Record<string, string> = {}) =>
  device.caller.post('/send/text', { number, text, ...fields }, headers)
/** Sends it; returns the record, and what the phone shows. */
async function sendAndShow(text: string, fields?: object): Promise<{ record: Seen; shown: Seen }> {
  const { status, body } = await send(text, fields)
  expect([status, body.message]).toEqual([200, undefined])
  return { record: body, shown: await waitForMessage(number, ({ id }) => id === body.messageid) }
}

test('a text is sent with title, description and picture of its first link', async () => {
  const text = `Look: ${shop}, and https://example.com/second`
  const { record, shown } = await sendAndShow(text)
  expect(record).toMatchObject({ type: 'text', text, content: { text, matchedText: shop, ...words } })
  expect(shown).toMatchObject({ type: 'text', text, preview: { link: shop, ...words } })
  // A machine that is too busy sends it without the picture.
  await until(async () => (await sendAndShow(text)).shown.preview.thumbnail > 0)
})

test('the record of a received preview has its words', async () => {
  const fields = { text: `see ${shop}`, matchedText: shop, ...words }
  await world.sim('POST', '/messages', {
    from: number,
    to: device.number,
    kind: 'extendedTextMessage',
    fields,
  })
  const { message } = await waitForEvent('messages', (seen) => seen.message.text === `see ${shop}`)
  expect(message.content).toMatchObject({ matchedText: shop, ...words })
})

test('without linkPreview nothing is fetched', async () => {
  const url = servePage('/unread', '<title>Page</title>')
  for (const fields of [{}, { linkPreview: false }]) {
    const { record, shown } = await sendAndShow(url, fields)
    expect([record.content.matchedText, shown.preview]).toEqual([undefined, undefined])
  }
  expect(files.requests).not.toContain('/unread')
})

test.each([
  ['its title alone', '/tab', '<TITLE>\n A &lt;tab&gt; </TITLE><title>no</title>', 'A <tab>'],
  ['its charset', '/latin', Buffer.from('<meta charset=iso-8859-1><title>P\xe3o</title>', 'latin1'), 'Pão'],
  ['words in its body', '/body', '<div><p><meta property="og:title" content="Late">', 'Late'],
])('a page is read by %s', async (_, path, html, title) => {
  const url = servePage(path, html, 'text/html')
  expect((await sendAndShow(url)).record.content).toMatchObject({ matchedText: url, title })
})

test('redirects are followed, and a title is cut off after 300 characters', async () => {
  servePage('/long', `<title>${'é'.repeat(400)}</title>`)
  const url = files.redirect('/short', '/long')
  const { content } = (await sendAndShow(url)).record
  expect(content).toMatchObject({ matchedText: url, title: 'é'.repeat(300) })
})

const open = await startSilentServer()
test.each([
  ['has no title', servePage('/untitled', '<p>words</p>')],
  ['is too large', servePage('/large', `<title>Large</title>${' '.repeat(1024 * 1024)}`)],
  ['is of another type', servePage('/binary', '<title>Binary</title>', 'application/octet-stream')],
  ['is a picture that is called a page', servePage('/picture', picture)],
  ['is nested without end', servePage('/deep', '<div>'.repeat(200_000))],
  ['is missing', `http://${files.place}/missing`],
  ['is at a private address', 'http://169.254.169.254/latest'],
  ['leads to a private address', files.redirect('/inside', 'http://10.0.0.1/')],
  ['cannot be reached', 'http://127.0.0.1:1/x'],
  ['breaks off', files.serveFile('/broken.html', picture, 'text/html', { 'content-encoding': 'gzip' })],
  ['does not answer', `http://${open}/silent`],
  ['does not end', `http://${open}/endless`],
])('a page that %s: the text is sent without a preview, and without an error', async (_, url) => {
  const { record, shown } = await sendAndShow(`see ${url}`)
  expect([record.content.matchedText, shown.preview]).toEqual([undefined, undefined])
})

test('a picture that is not to be had is left out', async () => {
  const url = servePage('/torn-picture', `<title>Torn</title><meta property="og:image" content="/none.jpg">`)
  const { shown } = await sendAndShow(url)
  expect(shown.preview).toEqual({ link: url, title: 'Torn', description: '', thumbnail: 0 })
})

test("the caller's own words and picture need no page", async () => {
  const url = servePage('/own', '<title>Page</title>')
  const own = { linkPreviewTitle: 'Mine', linkPreviewDescription: 'Of me' }
  const linkPreviewImage = picture.toString('base64')
  const { shown } = await sendAndShow(url, { ...own, linkPreviewImage })
  expect(shown.preview).toMatchObject({ link: url, title: 'Mine', description: 'Of me' })
  expect(files.requests).not.toContain('/own')
  const both = await sendAndShow(url, { linkPreview: true, linkPreviewDescription: 'Of me' })
  expect(both.shown.preview).toMatchObject({ title: 'Page', description: 'Of me' })
  const image = files.serveFile('/mine.jpg', picture, 'image/jpeg')
  await until(async () => (await sendAndShow(url, { linkPreviewImage: image })).shown.preview.thumbnail > 0)
})

test.each([
  ['no link', { linkPreviewTitle: 'x' }, [400, 'invalid_body'], 'linkPreviewTitle', 'words'],
  ['a picture inside', { linkPreviewImage: 'http://10.0.0.1/x' }, [400, 'invalid_url'], 'linkPreviewImage'],
  ['no base64', { linkPreviewImage: 'A A!' }, [400, 'invalid_body'], 'linkPreviewImage'],
  ['no picture', { linkPreviewImage: 'AAAA' }, [415, 'unsupported_media_type'], 'linkPreviewImage'],
  ['a long title', { linkPreviewTitle: 'x'.repeat(301) }, [400, 'invalid_body'], 'linkPreviewTitle'],
])(
  'a preview of the caller with %s is refused by its field',
  async (_, fields, expected, field, text = shop) => {
    const { status, body } = await send(text, fields)
    expect([status, body.error]).toEqual(expected)
    expect(body.message).toContain(field)
  },
)

test('a repeat under its key fetches nothing again, and returns the first answer', async () => {
  const url = servePage('/once', '<title>Once</title>')
  const key = { 'idempotency-key': 'preview-once' }
  const first = await send(url, undefined, key)
  const again = await send(url, undefined, key)
  expect(again.body).toEqual(first.body)
  expect(files.requests.filter((path) => path === '/once')).toEqual(['/once'])
})

test('a text that is sent at a time has the preview that its page had when it was scheduled', async () => {
  const { body } = await send(shop, { linkPreview: true, sendAt: new Date(Date.now() + 1500).toISOString() })
  expect(body).toMatchObject({ status: 'Scheduled', content: { matchedText: shop, ...words } })
  const shown = await waitForMessage(number, ({ id }) => id === body.messageid)
  expect(shown.preview).toMatchObject({ link: shop, ...words })
})

/** `/silent` never answers, `/endless` never ends. */
async function startSilentServer(): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/endless')
      response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Endless</title>')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return listenAtReserved(server)
}
