// Reads a request's body, and the phones and messages that it names.
import type { Context } from 'hono'
import * as z from 'zod'
import { accountNamed, isGroup } from '../network/address.ts'
import type { Chat } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import type { Message } from '../store/messages.ts'
import { problem } from './problem.ts'

/** A `from`, `to` or `by`: a number, or an id in the neutral spelling. */
export const Name = z.string().min(1)
export const PhoneNumber = z.string().regex(/^[1-9]\d{5,14}$/, 'digits with country code')

export async function bodyOf<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const text = await c.req.text()
  let json: unknown
  try {
    json = text === '' ? {} : JSON.parse(text)
  } catch {
    throw problem(400, 'the body is no JSON')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw badBody(parsed.error.issues)
}

/** Unknown fields are reported before missing ones, because a misspelled field is the likely cause. */
function badBody(issues: z.core.$ZodIssue[]) {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') return problem(400, issue.message, issue.keys[0])
  }
  const [first] = issues
  return problem(400, first?.message ?? 'bad body', first?.path.map(String).join('.') || undefined)
}

export function phoneNamed(network: Network, name: string): Account {
  const account = accountNamed(network.store, name)
  if (account === undefined) throw problem(404, `no phone ${name}`)
  return account
}

export function groupNamed(network: Network, jid: string): Group {
  const group = network.store.groups.find(jid)
  if (group === undefined) throw problem(404, `no group ${jid}`)
  return group
}

export function chatNamed(network: Network, name: string): Chat {
  return isGroup(name) ? groupNamed(network, name) : phoneNamed(network, name)
}

export function messageNamed(network: Network, id: string): Message {
  const message = network.store.messages.find(id)
  if (message === undefined) throw problem(404, `no message ${id}`)
  return message
}
