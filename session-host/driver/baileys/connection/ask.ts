// Sends a query to the network with our own deadline, and answers done, refused or silent.

import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { Answer } from '../../driver.ts'

export interface Question {
  xmlns: string
  type: 'get' | 'set'
  /** The server itself by default. */
  to?: string
  /** The owner of a picture. */
  target?: string
  content: BinaryNode[]
}

/** The library's own query answers `undefined` for silence and a number for a dropped socket. */
export async function ask(
  sock: WASocket,
  question: Question,
  deadline: AbortSignal,
): Promise<Answer<BinaryNode>> {
  const node: BinaryNode = {
    tag: 'iq',
    attrs: {
      id: sock.generateMessageTag(),
      to: question.to ?? S_WHATSAPP_NET,
      ...(question.target !== undefined && { target: question.target }),
      type: question.type,
      xmlns: question.xmlns,
    },
    content: question.content,
  }
  return answered(async () => {
    const answer = await sock.query(node)
    if (!answer) return { kind: 'silent', message: 'no answer' }
    return { kind: 'done', value: answer as BinaryNode }
  }, deadline)
}

/** Runs a request to the network; an exception or a timeout becomes an answer. */
export async function answered<Value>(
  work: () => Promise<Answer<Value>>,
  deadline: AbortSignal,
): Promise<Answer<Value>> {
  if (deadline.aborted) return { kind: 'silent', message: 'the deadline had passed' }
  const late = Promise.withResolvers<Answer<Value>>()
  const onAbort = () => late.resolve({ kind: 'silent', message: 'no answer in time' })
  deadline.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work().catch(toAnswer), late.promise])
  } finally {
    deadline.removeEventListener('abort', onAbort)
  }
}

/** A refusal has the network's code in `data`; after any other exception it is unknown what the network did. */
function toAnswer(thrown: unknown): Answer<never> {
  if (thrown instanceof Error) {
    const code = 'data' in thrown ? thrown.data : undefined
    if (typeof code === 'number' && Number.isInteger(code)) {
      return { kind: 'refused', code, message: thrown.message }
    }
    return { kind: 'silent', message: thrown.message }
  }
  return { kind: 'silent', message: 'the connection was lost' }
}

/** The node inside an answer, by its path of tags. */
export function inside(node: BinaryNode, ...path: string[]): BinaryNode | undefined {
  let found: BinaryNode | undefined = node
  for (const tag of path) found = getBinaryNodeChild(found, tag)
  return found
}

/** An answer without the requested value counts as silent. */
export function read<Value>(
  answer: Answer<BinaryNode>,
  look: (answer: BinaryNode) => Value | undefined,
): Answer<Value> {
  if (answer.kind !== 'done') return answer
  const value = look(answer.value)
  if (value === undefined) return { kind: 'silent', message: 'the answer was not understood' }
  return { kind: 'done', value }
}

/** For requests whose every answer but a refusal means done. */
export const bare = (answer: Answer<BinaryNode>): Answer =>
  answer.kind === 'done' ? { kind: 'done', value: undefined } : answer
