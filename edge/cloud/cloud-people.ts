// Whom the account blocks, and how it shows itself, as the Cloud API has both.

import { extractPhone } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { ContractRefusal, callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { CloudRefusal, describeRefusal } from './cloud-errors.ts'
import { createWrong } from './cloud-fields.ts'
import { requireNamed } from './cloud-instances.ts'
import { findRecipient } from './cloud-recipients.ts'

type EdgeContext = Context<EdgeEnv>
type Fields = Record<string, unknown>

/** Each is asked of the network by itself. */
const MAX_BLOCKED_AT_ONCE = 50

export async function listBlocked(c: EdgeContext, { params }: DialectInput) {
  requireNamed(c, params.pn)
  const { blockList } = await callContract<{ blockList: string[] }>(c, 'listBlocked')
  const data = blockList.map((jid) => ({ messaging_product: 'whatsapp', wa_id: extractPhone(jid) }))
  return { data, paging: {} }
}

export const blockUsers = (c: EdgeContext, input: DialectInput) => changeBlocked(c, input, true)
export const unblockUsers = (c: EdgeContext, input: DialectInput) => changeBlocked(c, input, false)

/** What was refused stands beside what was done; the error of the first, if nothing was. */
async function changeBlocked(c: EdgeContext, { params, body }: DialectInput, block: boolean) {
  requireNamed(c, params.pn)
  const done: Fields[] = []
  const failed: Fields[] = []
  let refusal: unknown
  for (const user of readUsers(body)) {
    try {
      await callContract(c, 'blockPerson', { body: { number: await findRecipient(c, user), block } })
      done.push({ input: user, wa_id: extractPhone(user) || user.replace(/\D/g, '') })
    } catch (error) {
      if (!(error instanceof ContractRefusal)) throw error
      refusal ??= error
      failed.push({ input: user, errors: [describeRefusal(error)] })
    }
  }
  if (done.length === 0) throw refusal
  const name = block ? 'added_users' : 'removed_users'
  const block_users = { [name]: done, ...(failed.length > 0 && { failed_users: failed }) }
  return { messaging_product: 'whatsapp', block_users }
}

function readUsers({ block_users: users }: Fields): string[] {
  if (!Array.isArray(users) || users.length === 0)
    throw new CloudRefusal(131008, 'Required parameter is missing', 'block_users is missing.')
  const named = (users as (Fields | null)[]).map((one) => one?.user ?? one?.user_id)
  if (users.length > MAX_BLOCKED_AT_ONCE || !named.every((user) => typeof user === 'string'))
    throw createWrong(`block_users must be at most ${MAX_BLOCKED_AT_ONCE}, each with user or user_id.`)
  return named
}

export async function showProfile(c: EdgeContext, { params }: DialectInput) {
  requireNamed(c, params.pn)
  const { about } = await callContract<{ about: string }>(c, 'getAbout')
  return { data: [{ messaging_product: 'whatsapp', about }] }
}

/** Only the about text: the account has no address, and no picture comes by a handle here. */
export async function changeProfile(c: EdgeContext, { params, body }: DialectInput) {
  requireNamed(c, params.pn)
  const { about, messaging_product: _, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new CloudRefusal(100, 'Invalid parameter', `${other} cannot be changed here.`)
  await callContract(c, 'changeAbout', { body: { about }, isKeyed: true })
  return { success: true }
}
