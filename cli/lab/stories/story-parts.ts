// What stories are made of.

import type { Json } from '../lab-gateway.ts'
import type { Lab, LabInstance } from '../lab-world.ts'

export interface StoryResult {
  /** Ids of the messages that the program gets, in the order in which they were written. */
  messages: string[]
  /** The number of who writes them. */
  from?: string
  /** Where the program acts: the number, or the id of the group, that it writes to next. */
  to?: string
}

export interface Story {
  name: string
  /** What happens, in one sentence. */
  happens: string
  /** What the program of a caller should do. */
  should: string
  play(lab: Lab, instance: LabInstance): Promise<StoryResult>
}

/** Someone writes to the account of the instance. Returns the id of the message. */
export async function write(
  lab: Lab,
  from: string,
  { number }: LabInstance,
  text: string,
  wish: object = {},
): Promise<string> {
  return (await lab.gateway.sim('POST', '/messages', { from, to: number, text, ...wish })).id
}

export const isMessage = (id: string) => (envelope: Json) =>
  envelope.EventType === 'messages' && envelope.message.messageid === id

/** Also of what comes about a message: its edit, its deletion, a vote. */
export const isUpdate = (id: string, state: string) => (envelope: Json) =>
  envelope.EventType === 'messages_update' &&
  envelope.state === state &&
  envelope.event.MessageIDs.includes(id)

export const isConnection =
  ({ id }: LabInstance, reason: string) =>
  (envelope: Json) =>
    envelope.EventType === 'connection' &&
    envelope.instanceId === id &&
    envelope.instance.lastDisconnectReason === reason

export const fail = (lab: Lab, { number }: LabInstance, kind: string, wish: object = {}) =>
  lab.gateway.sim('POST', '/faults', { kind, number, ...wish })

/** The program has answered it with 2xx, or the receiver has. */
export const waitUntilTaken = (lab: Lab, id: string) =>
  lab.until('each of the messages to be taken', async () =>
    lab.receiver.received.some(
      ({ envelope, answered }) => isMessage(id)(envelope) && answered >= 200 && answered < 300,
    ),
  )
