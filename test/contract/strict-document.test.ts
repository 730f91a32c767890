// The document is as strict as the server: what it allows is never refused as malformed, and what it forbids always is.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { entries } from '@msgnet/openapi/document.ts'
import { findFirstLink } from '@msgnet/shared/contract/link-preview.ts'
import { parseMenuCards } from '@msgnet/shared/contract/menu-choices.ts'
import { dialectNames } from '@msgnet/shared/contract/webhook-formats.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createDevice } from '../device.ts'
import { unlimited } from '../world.ts'
import { document } from './documented.ts'
import { generateInvalid, generateValid } from './request-values.ts'

const seed = Number(process.env.STRICT_SEED ?? 28)
const EACH = Number(process.env.STRICT_EACH ?? 25)

// biome-ignore lint/suspicious/noExplicitAny: bodies of every route.
type Body = any

/** What no JSON Schema can say: a comparison of two fields, what is stored already, and a setting of the server. */
const beyondSchema: Record<string, (body: Body) => boolean> = {
  changeDelay: ({ msg_delay_min, msg_delay_max }) => msg_delay_max < msg_delay_min,
  configureProxy: ({ enable, proxy_url }) => enable && !proxy_url,
  sendEvent: ({ startTime, endTime }) => typeof endTime === 'number' && endTime < startTime,
  sendText: ({ text, linkPreviewTitle, linkPreviewDescription, linkPreviewImage }) =>
    Boolean(linkPreviewTitle || linkPreviewDescription || linkPreviewImage) && !findFirstLink(text),
  sendMenu: ({ type, choices, selectableCount }) => {
    const lines = choices.map((choice: string) => choice.trim())
    if (type !== 'poll') return menuFaults.includes(String(parseMenuCards(type, lines)))
    return (selectableCount ?? 1) > lines.length || new Set(lines).size < lines.length
  },
}

const menuFaults = ['must differ in their ids', 'must have something to choose']

/** A webhook is ended also where fields beside the action are empty. */
const isTolerated = (body: Body): boolean => ['delete', 'inherit'].includes(body?.action)

let world: BorrowedWorld
let callers: Record<'admin' | 'instance', Caller>

beforeAll(async () => {
  world = await borrowWorld({ ...unlimited, INTERACTIVE: 'on', DIALECTS: dialectNames.join() })
  const { token } = await createDevice(world)
  const callPlainly = (credential: Record<string, string>) => createPlainCaller(world.run.baseUrl, credential)
  callers = {
    admin: callPlainly({ admintoken: readFileSync(`${world.dataDir}/admin-token`, 'utf8').trim() }),
    instance: callPlainly({ token }),
  }
})

afterAll(() => world.close())

const listed = entries
  .filter(({ operation: { auth, id } }) => auth !== 'host' && auth !== 'none' && id !== 'streamEvents')
  .map(({ operation: { id, auth }, method, path, route }) => {
    const { requestBody, parameters } = document.paths[path][method.toLowerCase()]
    const query = parameters.filter((one: Body) => one.in === 'query')
    // A body of another type has no fields.
    const schema = requestBody?.content['application/json']?.schema
    return { route, id, auth, method, path, query, schema }
  })

const fillPath = (path: string) => path.replace(/\{\w+\}/g, () => crypto.randomUUID())

interface Answer {
  status: number
  /** For the message of a failed test. */
  told: string
}

async function send(auth: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answer = await callers[auth as keyof typeof callers].request(method, fillPath(path), text)
  return {
    status: answer.status,
    told: `${answer.status} ${answer.text.slice(0, 160)} to ${path} ${text?.slice(0, 600)}`,
  }
}

const listWith = (answers: Answer[], isWrong: (status: number) => boolean) =>
  answers.filter(({ status }) => isWrong(status)).map(({ told }) => told)

test.each(listed.filter(({ schema }) => schema))(
  '$route accepts the bodies that the document allows, and no others',
  async ({ id, auth, method, path, schema }) => {
    const valid = fc
      .sample(generateValid(schema), { numRuns: EACH, seed })
      .filter((body) => !beyondSchema[id]?.(body))
    const answers = await Promise.all(valid.map((body) => send(auth, method, path, body)))
    expect(listWith(answers, (status) => status === 400 || status === 500)).toEqual([])
    const invalid = fc
      .sample(generateInvalid(schema), { numRuns: EACH, seed })
      .filter((body) => !isTolerated(body))
    const refusals = await Promise.all(invalid.map((body) => send(auth, method, path, body)))
    expect(listWith(refusals, (status) => status !== 400)).toEqual([])
  },
)

/** `after` is the end of a page before; `instance` must be that of the token. */
const ofAnswers = ['after', 'instance']

test.each(listed.filter(({ query }) => query.length > 0))(
  '$route accepts the queries that the document allows',
  async ({ auth, method, path, query }) => {
    const fields: [string, fc.Arbitrary<unknown>][] = query
      .filter(({ name }: Body) => !ofAnswers.includes(name))
      .map(({ name, schema }: Body) => [name, generateValid(schema)])
    const queries = fc.sample(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), {
      numRuns: EACH,
      seed,
    })
    const paths = queries.map((values) => `${path}?${new URLSearchParams(values as Record<string, string>)}`)
    const answers = await Promise.all(paths.map((one) => send(auth, method, one)))
    expect(listWith(answers, (status) => status === 400 || status === 500)).toEqual([])
  },
)
