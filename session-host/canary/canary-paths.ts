// The ways of a canary message: by number, by LID, in a group, with a file; each waits until it has arrived at the other instance.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ContentToSend, NetworkGroup, NetworkMessage, NetworkOutcome } from '../driver/driver.ts'
import { uploadFile } from '../driver/media-network.ts'
import { createMarkedId, describeTry, GROUP_NAME } from './marked-messages.ts'
import type { CanaryWatch, OpenLine } from './watched-driver.ts'

export const paths = ['number', 'lid', 'group', 'file'] as const
export type Path = (typeof paths)[number]

export interface Try {
  /** `lost`: acknowledged, and not there in time. `changed`: the file is another one. */
  outcome: 'ok' | 'refused' | 'silent' | 'prevented' | 'lost' | 'undecryptable' | 'changed'
  /** Until it arrived, or until it was given up. */
  ms: number
  /** Of the network, for a refusal. */
  code?: number
  /** Text of the network that came with the code. */
  details?: string
  /** Why the outcome is not known. */
  why?: string
}

const FILE_BYTES = 2048

interface Journey {
  from: OpenLine
  to: OpenLine
  watch: CanaryWatch
  /** The group of the two, once it was found. */
  group: { jid: string }
  over: AbortSignal
  /** From the lookup to the arrival. */
  withinMs: number
}

export async function tryPath(path: Path, journey: Journey): Promise<Try> {
  const { to, watch, over, withinMs } = journey
  const deadline = AbortSignal.any([over, AbortSignal.timeout(withinMs)])
  const began = performance.now()
  const messageid = createMarkedId()
  const arrival = waitForArrival(watch, to.instance, messageid, deadline)
  let details = ''
  const unsubscribe = watch.onAck((ack) => {
    if (ack.messageid === messageid) details = ack.details ?? ''
  })
  const finish = (outcome: Try['outcome']): Try => ({ outcome, ms: Math.round(performance.now() - began) })
  try {
    const file = path === 'file' ? randomBytes(FILE_BYTES) : undefined
    const sent = await sendMarked(path, messageid, file, journey, deadline)
    // One of the two may have left it.
    if (sent.kind !== 'done') journey.group.jid = ''
    if (sent.kind === 'refused') return { ...finish('refused'), code: sent.code, details }
    if (sent.kind !== 'done') {
      const outcome = sent.kind === 'unknown' ? 'silent' : sent.kind
      return { ...finish(outcome), ...(sent.message && { why: sent.message }) }
    }
    const message = await arrival.message
    if (!message) return finish(arrival.undecryptable() ? 'undecryptable' : 'lost')
    if (file && !(await hasFile(to, message, file, deadline))) return finish('changed')
    return finish('ok')
  } finally {
    unsubscribe()
    arrival.end()
  }
}

/** As an action sends: the recipient is looked up first. */
async function sendMarked(
  path: Path,
  messageid: string,
  file: Buffer | undefined,
  { from, to, group }: Journey,
  deadline: AbortSignal,
): Promise<NetworkOutcome> {
  const { network } = from
  const place = await findPlace(path, { from, to, group }, deadline)
  if (place.kind !== 'done') return place
  const content = file ? await uploadDocument(from, file, deadline) : writeText(path)
  if (content.kind !== 'done') return content
  const message = network.encode(content.value)
  if (!message) return { kind: 'unknown', message: 'this message is not encoded' }
  return network.send(messageid, place.value, message.encoded, deadline)
}

const writeText = (path: Path): NetworkOutcome<ContentToSend> => ({
  kind: 'done',
  value: { kind: 'text', text: describeTry(path), mentions: [] },
})

async function findPlace(
  path: Path,
  { from, to, group }: Pick<Journey, 'from' | 'to' | 'group'>,
  deadline: AbortSignal,
): Promise<NetworkOutcome<string>> {
  if (path === 'group') {
    const found = group.jid
      ? ({ kind: 'done', value: group.jid } as const)
      : await findGroup(from, to, deadline)
    group.jid = found.kind === 'done' ? found.value : ''
    return found
  }
  const { jid, lid } = to.account
  const id = path === 'lid' && lid ? lid : jid
  const found = await from.network.findAccount(id, deadline)
  return found.kind === 'done' ? { kind: 'done', value: id } : found
}

/** By its name: a host that starts anew finds the group that was made before. */
async function findGroup(
  { network, account }: OpenLine,
  to: OpenLine,
  deadline: AbortSignal,
): Promise<NetworkOutcome<string>> {
  const hasMember = ({ members }: NetworkGroup, { jid, lid }: OpenLine['account']) =>
    members.some(({ pn, lid: other }) => (pn !== '' && pn === jid) || (other !== '' && other === lid))
  const all = await network.groups.listGroups(deadline)
  if (all.kind !== 'done') return all
  const found = all.value.find(
    (group) => group.subject === GROUP_NAME && hasMember(group, account) && hasMember(group, to.account),
  )
  if (found) return { kind: 'done', value: found.jid }
  const created = await network.groups.createGroup(GROUP_NAME, [to.account.jid], deadline)
  return created.kind === 'done' ? { kind: 'done', value: created.value.jid } : created
}

async function uploadDocument(
  { network }: OpenLine,
  file: Buffer,
  deadline: AbortSignal,
): Promise<NetworkOutcome<ContentToSend>> {
  const described = {
    type: 'document',
    mimetype: 'application/octet-stream',
    fileName: 'canary.bin',
  } as const
  const stored = await uploadFile(network.media, 'document', Readable.from([file]), deadline)
  if (stored.kind !== 'done') return stored
  const value: ContentToSend = {
    kind: 'media',
    file: { ...described, caption: describeTry('file'), viewOnce: false },
    stored: stored.value,
  }
  return { kind: 'done', value }
}

async function hasFile(
  { network }: OpenLine,
  message: NetworkMessage,
  file: Buffer,
  deadline: AbortSignal,
): Promise<boolean> {
  const key = {
    messageid: message.messageid,
    chatid: message.chat.id,
    fromMe: false,
    sender: message.sender.id,
    isGroup: false,
  }
  const answer = await network.media.download(message.encoded, key, deadline)
  if (answer.kind !== 'done') return false
  // A file that breaks off is not the one that was sent.
  const arrived = await buffer(answer.value.file).catch(() => undefined)
  return arrived?.equals(file) ?? false
}

/** The message, once it has arrived and could be decrypted; undefined if it did not in time. */
function waitForArrival(watch: CanaryWatch, instance: string, messageid: string, deadline: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<NetworkMessage | undefined>()
  let unread = false
  const end = watch.onArrival((at, message) => {
    if (at !== instance || message.messageid !== messageid) return
    unread = message.type === 'undecryptable'
    if (!unread) resolve(message)
  })
  const onDeadline = () => resolve(undefined)
  if (deadline.aborted) onDeadline()
  deadline.addEventListener('abort', onDeadline, { once: true })
  return { message: promise, undecryptable: () => unread, end }
}
