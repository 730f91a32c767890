// Templates of the Cloud API: texts with variables that the operator has stored.

import { readSettings } from '@msgnet/cli/settings/gateway-settings.ts'
import { beforeAll, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, linkDevice } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const templates = {
  order_ready: {
    pt_BR: 'Olá {{1}}, seu pedido {{2}} está pronto.',
    en: 'Hello {{1}}, order {{2}} is ready.',
  },
  welcome: { pt_BR: 'Bem-vindo, {{nome}}! {{nome}}, escolha.' },
  plain: { pt_BR: 'Até logo.' },
}
const files = await startFileServer()
const world = await borrowForFile({ DIALECTS: 'uazapi,cloud', CLOUD_TEMPLATES: JSON.stringify(templates) })
let friend: string
let graph: ReturnType<typeof createPlainCaller>

beforeAll(async () => {
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle: 'shop' })
  const { token } = body
  graph = createPlainCaller(`${world.run.baseUrl}/graph/v23.0`, { authorization: `Bearer ${token}` })
  const caller = createPlainCaller(world.run.baseUrl, { token })
  await linkDevice(world, { id: body.instance.id, token, caller })
  friend = await createPhone(world, 'Ana')
})

const text = (value: string) => ({ type: 'text', text: value })
const send = (name: string, code: string, components?: object[]) =>
  graph.post('/shop/messages', {
    messaging_product: 'whatsapp',
    to: friend,
    type: 'template',
    template: { name, language: { policy: 'deterministic', code }, ...(components && { components }) },
  })
const findInInbox = (matches: (message: Seen) => boolean): Promise<Seen> =>
  until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as Seen[]).find(matches)
  })

test('a template is sent as its text, with the values in the places of its variables', async () => {
  const body = { type: 'body', parameters: [text('Ana'), text('42')] }
  const sent = await send('order_ready', 'pt_BR', [body])
  expect(sent).toMatchObject({ status: 200, body: { messages: [{ message_status: 'accepted' }] } })
  await findInInbox((message) => message.text === 'Olá Ana, seu pedido 42 está pronto.')
  expect((await send('order_ready', 'en', [body])).status).toBe(200)
  await findInInbox((message) => message.text === 'Hello Ana, order 42 is ready.')
  const named = { type: 'body', parameters: [{ ...text('{{nome}} $&'), parameter_name: 'nome' }] }
  expect((await send('welcome', 'pt_BR', [named])).status).toBe(200)
  await findInInbox((message) => message.text === 'Bem-vindo, {{nome}} $&! {{nome}} $&, escolha.')
  expect((await send('plain', 'pt_BR')).status).toBe(200)
  await findInInbox((message) => message.text === 'Até logo.')
})

test('sums and dates are sent in the words that stand beside them', async () => {
  const parameters = [
    { type: 'currency', currency: { fallback_value: 'R$ 10', code: 'BRL', amount_1000: 10_000 } },
    { type: 'date_time', date_time: { fallback_value: '1 de maio' } },
  ]
  expect((await send('order_ready', 'pt_BR', [{ type: 'body', parameters }])).status).toBe(200)
  await findInInbox((message) => message.text === 'Olá R$ 10, seu pedido 1 de maio está pronto.')
})

test('a file in the header of a template has its text as caption', async () => {
  const link = files.serveFile('/bill.pdf', Buffer.from('%PDF-1.4'), 'application/pdf')
  const header = {
    type: 'header',
    parameters: [{ type: 'document', document: { link, filename: 'conta.pdf' } }],
  }
  expect((await send('plain', 'pt_BR', [header])).status).toBe(200)
  const got = await findInInbox(({ type }) => type === 'document' || type === 'media')
  expect(JSON.stringify(got)).toContain('Até logo.')
})

test.each([
  ['a name that the operator has not stored', 'unknown', 'pt_BR', undefined, 132001],
  ['a name that every object has', 'constructor', 'pt_BR', undefined, 132001],
  ['a language that it has not', 'welcome', 'en', undefined, 132001],
  ['too few values', 'order_ready', 'en', [{ type: 'body', parameters: [text('Ana')] }], 132000],
  ['values for none', 'plain', 'pt_BR', [{ type: 'body', parameters: [text('Ana')] }], 132000],
  ['another name', 'welcome', 'pt_BR', [{ type: 'body', parameters: [text('Ana')] }], 132000],
  ['a text above it', 'plain', 'pt_BR', [{ type: 'header', parameters: [text('Ana')] }], 132012],
  ['a button', 'plain', 'pt_BR', [{ type: 'button', sub_type: 'url', index: '0', parameters: [] }], 132012],
])('a template with %s is refused by its own code', async (_, name, language, components, code) => {
  const { status, body } = await send(name, language, components)
  expect([status, body.error.code]).toEqual([400, code])
})

test('programs find the templates in the list, by their names too', async () => {
  const { body } = await graph.get('/shop/message_templates')
  expect(body.data).toHaveLength(4)
  expect(body.data[0]).toEqual({
    id: 'order_ready.pt_BR',
    name: 'order_ready',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: templates.order_ready.pt_BR }],
  })
  const found = await graph.get('/shop/message_templates?name=welcome')
  expect(found.body.data.map(({ name }: Seen) => name)).toEqual(['welcome'])
})

test('a setting that is no such object stops the start with what it must be', () => {
  for (const wrong of ['{', '[]', '{"a b":{"en":"x"}}', '{"a":"x"}', '{"a":{"en":""}}', '{"a":{"en":7}}'])
    expect(() => readSettings({ CLOUD_TEMPLATES: wrong })).toThrow(/CLOUD_TEMPLATES must be/)
})
