// What callers may write in more than one way, what no text may hold, and in which words the rest is refused.

import { type Entry, entries } from '@msgnet/openapi/document.ts'
import { toJsonSchema } from '@msgnet/openapi/json-schemas.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import type { ApiResponse } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'
import { document } from './documented.ts'

let world: BorrowedWorld
let device: Device

beforeAll(async () => {
  world = await borrowWorld()
  device = await createDevice(world)
})

afterAll(() => world.close())

const number = '5511999999999'
const pickError = ({ status, body }: ApiResponse) => [status, body?.error]
const findCaller = ({ operation }: Entry) => (operation.auth === 'admin' ? world.admin : device.caller)
const fillPath = ({ path }: Entry) => path.replace('{id}', crypto.randomUUID())
const withBody = entries.filter(
  ({ operation: { auth, body } }) => auth !== 'host' && body && body.type === undefined,
)

describe('half of a surrogate pair', () => {
  test.each([
    ['/send/text', `{"number":"${number}","text":"\\ud83d"}`, 'invalid_body', 'text'],
    ['/send/text', `{"number":"${number}\\uDC00","text":"x"}`, 'invalid_number', 'number'],
    ['/send/text', `{"number":"${number}","text":"x","mentions":["\\ud83d"]}`, 'invalid_body', 'mentions[0]'],
    ['/send/text', `{"number":"${number}","text":"x","\\ud83d":1}`, 'invalid_body', 'The body'],
    [
      '/send/text',
      `{"number":"${number}","text":"x","constructor":"\\ud83d"}`,
      'invalid_body',
      'constructor',
    ],
    ['/message/edit', `{"id":"3EB0","text":"\\ude00\\ud83d"}`, 'invalid_message', 'text'],
    ['/group/updateName', `{"groupjid":"120363000000000000@g.us","name":"\\ud83d"}`, 'invalid_name', 'name'],
    ['/webhook', `{"url":"https://example.com/\\ud83d","events":"all"}`, 'invalid_url', 'url'],
    ['/webhook', `{"url":"https://example.com/x","events":["\\ud83d"]}`, 'invalid_events', 'events[0]'],
  ])('POST %s with %s is 400 %s', async (path, body, error, field) => {
    const response = await device.caller.post(path, body)
    expect(pickError(response)).toEqual([400, error])
    expect(response.body.message.startsWith(`${field} must not `), response.text).toBe(true)
  })

  test('a whole surrogate pair is accepted, escaped or not', async () => {
    const body = `{"number":"${number}","text":"\\ud83d\\ude00 😀 \\\\ud83d"}`
    expect(pickError(await device.caller.post('/send/text', body))).toEqual([409, 'not_connected'])
  })

  test('a query that is not UTF-8 is invalid_query', async () => {
    const response = await world.admin.get('/instance/all?companyId=%ED%A0%BD')
    expect(pickError(response)).toEqual([400, 'invalid_query'])
  })
})

describe('an invalid URL or base64 is refused before the session is checked', () => {
  const groupjid = '120363000000000000@g.us'
  const words = btoa('no image')
  const within = 'https://10.0.0.1/picture.jpg'
  test.each([
    ['/send/media', { number, type: 'document', file: within }, 400, 'invalid_url'],
    ['/send/media', { number, type: 'document', file: 'no base64!' }, 400, 'invalid_body'],
    ['/send/media', { number, type: 'image', file: words }, 409, 'not_connected'],
    ['/send/media', { number, type: 'image', file: 'data:image/png,words' }, 400, 'invalid_body'],
    ['/send/media', { number, type: 'document', file: words }, 409, 'not_connected'],
    ['/send/media', { number, type: 'document', file: 'https://example.com/x.pdf' }, 409, 'not_connected'],
    ['/send/status', { type: 'image', file: within }, 400, 'invalid_url'],
    ['/send/status', { type: 'image', file: 'no base64!' }, 400, 'invalid_body'],
    ['/group/updateImage', { groupjid, image: within }, 400, 'invalid_url'],
    ['/group/updateImage', { groupjid, image: 'no base64!' }, 400, 'invalid_image'],
    ['/profile/image', { image: 'no base64!' }, 400, 'invalid_image'],
  ])('POST %s with %o is %i %s', async (path, body, status, error) => {
    expect(pickError(await device.caller.post(path, body))).toEqual([status, error])
  })
})

describe('optional fields', () => {
  test.each(withBody.map((entry) => [entry.route, entry] as const))(
    '%s: null is the same as none, and for a text the empty one',
    async (_, entry) => {
      const [example = {}] = Object.values(entry.operation.body?.samples ?? {}) as object[]
      const { properties = {}, required = [] } = findForm(entry)
      const free = Object.entries(properties).filter(([name]) => !required.includes(name) && name !== 'phone')
      const nothing = free.map(([name, schema]) => [name, isText(schema) && name !== 'secret' ? '' : null])
      const nulls = free.map(([name]) => [name, null])
      const without = Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name)))
      const sendFields = (fields: object) =>
        findCaller(entry).request(entry.method, fillPath(entry), { ...without, ...fields })
      const bare = pickError(await sendFields({}))
      for (const fields of [nothing, nulls].map(Object.fromEntries))
        expect(pickError(await sendFields(fields)), JSON.stringify(fields)).toEqual(bare)
    },
  )

  test('an empty kind is the default kind, and an empty companyId is none', async () => {
    const { body } = await world.admin.post('/instance/init', { name: 'Shop', kind: '', companyId: '' })
    expect(body.instance).toMatchObject({ kind: 'msgnet', companyId: '' })
    const listed = await world.admin.get('/instance/all?companyId=')
    expect(listed.body.map(({ id }: { id: string }) => id)).toContain(body.instance.id)
  })

  test('a required field must not be null', async () => {
    expect(pickError(await device.caller.post('/send/text', { number: null, text: 'x' }))).toEqual([
      400,
      'invalid_number',
    ])
    expect(pickError(await device.caller.post('/send/text', { number, text: null }))).toEqual([
      400,
      'invalid_body',
    ])
  })
})

test.each(['/instance/disconnect', '/chat/find', '/instance/connect'])(
  'POST %s takes no body, an empty one, {} and [] alike',
  async (path) => {
    for (const body of [undefined, '', '{}', '[]'])
      expect((await device.caller.request('POST', path, body)).status, `${body}`).toBe(200)
  },
)

test('the document says that a body which may be empty is optional', () => {
  const empty = withBody.filter(({ operation }) => operation.body?.schema.safeParse({}).success)
  expect(empty.filter(({ operation }) => !operation.body?.optional).map(({ route }) => route)).toEqual([])
})

test.each([
  ['/instance/all?companyId=a&companyId=a', 'companyId'],
  ['/instance/all?companyId=two%20words', 'companyId'],
  [`/instance/all?companyId=${'x'.repeat(65)}`, 'companyId'],
  ['/v1/events?limit=5&limit=5', 'limit'],
  ['/v1/events?status=dead&status=dead', 'status'],
  ['/v1/events?afterSeq=x', 'afterSeq'],
  ['/group/list?force=1&force=1', 'force'],
  ['/media?file=a&file=b', 'file'],
])('GET %s is 400 invalid_query', async (path, field) => {
  const response = await (path.startsWith('/instance/all') ? world.admin : device.caller).get(path)
  expect(pickError(response)).toEqual([400, 'invalid_query'])
  expect(response.body.message).toMatch(new RegExp(`^${field} must `))
})

describe('words', () => {
  // What a validator says of itself, and what a pattern looks like.
  const VALIDATOR =
    /invalid (input|option|string)|expected|received|undefined|too (small|big)|pattern|regex|NaN|\^|\[object/i

  test.each(withBody.map((entry) => [entry.route, entry] as const))(
    '%s refuses in a sentence that begins with the field',
    async (_, entry) => {
      const [example = {}] = Object.values(entry.operation.body?.samples ?? {}) as object[]
      for (const name of Object.keys(findForm(entry).properties ?? {})) {
        // It names the webhook of an instance; the server's has none, and does not look at it.
        if (name === 'id' && entry.route === 'POST /v1/webhook') continue
        for (const wrong of [{}, -1.5, [7], 'x'.repeat(70_000), undefined]) {
          if (wrong === undefined && name === 'phone') continue
          // An empty object of headers is none.
          if (name === 'headers' && typeof wrong === 'object' && !Array.isArray(wrong)) continue
          const body = { ...example, [name]: wrong }
          const response = await findCaller(entry).request(entry.method, fillPath(entry), body)
          if (typeof wrong === 'object' && !Array.isArray(wrong)) expect(response.status, name).toBe(400)
          if (response.status !== 400) continue
          const { message } = response.body
          expect(message).toMatch(new RegExp(`^(The body|${name}\\b).*( must | is missing: it must ).*\\.$`))
          expect(message).not.toMatch(VALIDATOR)
        }
      }
      for (const body of ['7', '"x"', 'null', '[1]']) {
        const response = await findCaller(entry).request(entry.method, fillPath(entry), body)
        expect(response.body.message).toMatch(/^The body must be a JSON object\.$/)
      }
    },
  )

  test('an error for few allowed numbers names all of them', async () => {
    const muteWith = async (fields: object) =>
      (await device.caller.post('/chat/mute', { number, ...fields })).body.message
    expect(await muteWith({})).toBe('muteEndTime is missing: it must be one of 0, 8, 168, -1.')
    expect(await muteWith({ muteEndTime: 5 })).toBe('muteEndTime must be one of 0, 8, 168, -1.')
    expect(await muteWith({ muteEndTime: '8' })).toBe('muteEndTime must be one of 0, 8, 168, -1.')
  })

  test('a 401 names the required header and says whether it was present', async () => {
    const anonymous = world.callAs('')
    const getMessage = async (path: string, headers: Record<string, string>) => {
      const response = await anonymous.get(path, headers)
      expect(pickError(response)).toEqual([401, 'unauthorized'])
      return response.body.message
    }
    expect(await getMessage('/instance/all', {})).toBe('The header admintoken is missing.')
    expect(await getMessage('/instance/all', { admintoken: 'a, b' })).toBe(
      'The header admintoken was given more than once.',
    )
    expect(await getMessage('/instance/all', { admintoken: 'a' })).toBe(
      'The token in the header admintoken is not known.',
    )
    expect(await getMessage('/instance/status', {})).toBe('The header token is missing.')
    expect(await getMessage('/instance/status', { token: 'a' })).toBe(
      'The token in the header token is not known.',
    )
    expect(await getMessage('/hosts/v1/link', {})).toBe('The header Authorization: Bearer is missing.')
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema is read as any reader of JSON does.
type Form = any

/** The fullest of the forms that the body may have. */
function findForm({ operation }: Entry): Form {
  const resolveSchema = (schema: Form): Form =>
    schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema
  const schema = toJsonSchema(operation.body?.schema as never, 'input') as Form
  const forms = (schema.anyOf ?? [schema]).map(resolveSchema)
  return forms.reduce((most: Form, form: Form) =>
    Object.keys(form.properties ?? {}).length > Object.keys(most.properties ?? {}).length ? form : most,
  )
}

const isText = (schema: Form): boolean =>
  schema.type === 'string' || typeof schema.enum?.[0] === 'string' || (schema.anyOf ?? []).some(isText)
