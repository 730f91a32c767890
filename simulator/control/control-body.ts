// Reads a request's body, and the phones and messages that it names.
import type { Context } from 'hono'
import * as z from 'zod'
import { findAccountByName, isGroupJid } from '../network/address.ts'
import type { Chat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import type { Message } from '../store/message-table.ts'
import { createProblem } from './problem.ts'

/** A `from`, `to` or `by`: a number, or an id in the neutral spelling. */
export const Name = z.string().min(1)
export const PhoneNumber = z.string().regex(/^[1-9]\d{5,14}$/, 'digits with country code')

export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const text = await c.req.text()
  let json: unknown
  try {
    json = text === '' ? {} : JSON.parse(text)
  } catch {
    throw createProblem(400, 'the body is no JSON')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw createBodyProblem(parsed.error.issues)
}

/** Unknown fields are reported before missing ones, because a misspelled field is the likely cause. */
function createBodyProblem(issues: z.core.$ZodIssue[]) {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') return createProblem(400, issue.message, issue.keys[0])
  }
  const [first] = issues
  return createProblem(400, first?.message ?? 'bad body', first?.path.map(String).join('.') || undefined)
}

export function requirePhone(network: Network, name: string): Account {
  const account = findAccountByName(network.store, name)
  if (account === undefined) throw createProblem(404, `no phone ${name}`)
  return account
}

export function requireGroup(network: Network, jid: string): Group {
  const group = network.store.groups.find(jid)
  if (group === undefined) throw createProblem(404, `no group ${jid}`)
  return group
}

export function requireChat(network: Network, name: string): Chat {
  return isGroupJid(name) ? requireGroup(network, name) : requirePhone(network, name)
}

export function requireMessage(network: Network, id: string): Message {
  const message = network.store.messages.find(id)
  if (message === undefined) throw createProblem(404, `no message ${id}`)
  return message
}
