// Errors in the form of Evolution: its status, and its words in a list.

import type { Context } from 'hono'
import { ContractRefusal } from '../http/call-contract.ts'
import { type Refused, respondRefusal } from '../http/dialect-app.ts'
import { findStatusTitle } from '../http/status-titles.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readInstanceName } from './evolution-callers.ts'
import { toOuterId } from './evolution-ids.ts'

/** A refusal that only this form has, with what its list holds. */
export class EvolutionRefusal extends ContractRefusal {
  readonly words: unknown

  constructor(status: number, words: unknown) {
    super(status, { error: 'invalid_body' }, null)
    this.words = words
  }
}

/** Of a field that is missing or wrong: in a list of its own, as Evolution has it. */
export const createInvalid = (message: string): EvolutionRefusal => new EvolutionRefusal(400, [[message]])

interface Answer {
  status: number
  words: unknown
}

/** What differs from the status and the message of the contract. */
const byCode: Record<string, (refused: Refused, c: Context<EdgeEnv>) => Answer> = {
  unauthorized: () => ({ status: 401, words: 'Unauthorized' }),
  not_found: (_, c) => ({ status: 404, words: [`Cannot ${c.req.method} ${c.req.path}`] }),
  instance_not_found: (_, c) => ({ status: 404, words: [`The "${findName(c)}" instance does not exist`] }),
  handle_taken: (_, c) => ({ status: 403, words: [`This name "${findName(c)}" is already in use.`] }),
  not_connected: (_, c) => ({ status: 400, words: [`The "${findName(c)}" instance is not connected`] }),
  not_on_network: (_, c) => ({ status: 400, words: [describeAbsent(c)] }),
  outcome_unknown: ({ body }) => ({
    status: 504,
    words: ['outcome_unknown', ...(body.messageid ? [body.messageid] : [])],
  }),
}

const findName = (c: Context<EdgeEnv>): string =>
  readInstanceName(c.req.path) || String(readBody(c).instanceName ?? '')

const readBody = (c: Context<EdgeEnv>) => (c.get('body') ?? {}) as Record<string, unknown>

function describeAbsent(c: Context<EdgeEnv>) {
  const number = String(readBody(c).number ?? '')
  return { jid: toOuterId(number), exists: false, number }
}

function describe(refused: Refused, c: Context<EdgeEnv>): Answer {
  const { status, body } = refused
  if (refused instanceof EvolutionRefusal) return { status, words: refused.words }
  const known = byCode[body.error]
  if (known) return known(refused, c)
  const message = body.message ?? body.error
  return { status, words: status === 400 ? [[message]] : [message] }
}

export const describeError = (status: number, message: unknown) => ({
  status,
  error: findStatusTitle(status),
  response: { message },
})

export function toEvolutionErrorResponse(refused: Refused, c: Context<EdgeEnv>): Response {
  const { status, words } = describe(refused, c)
  return respondRefusal(status, describeError(status, words), refused.retryAfter)
}
