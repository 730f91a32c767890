// The recorded stories: what has happened to programs of callers, played again so that a program sees exactly that.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Json } from './lab-gateway.ts'
import type { Lab, LabInstance } from './lab-world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

export interface StoryResult {
  /** Ids of the messages that the program gets, in the order in which they were written. */
  messages: string[]
  /** The number of who writes them. */
  from?: string
  /** Where the program acts: the number that it writes to next. */
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
async function write(lab: Lab, from: string, { number }: LabInstance, text: string): Promise<string> {
  return (await lab.gateway.sim('POST', '/messages', { from, to: number, text })).id
}

const isMessage = (id: string) => (envelope: Json) =>
  envelope.EventType === 'messages' && envelope.message.messageid === id

const isConnection =
  ({ id }: LabInstance, reason: string) =>
  (envelope: Json) =>
    envelope.EventType === 'connection' &&
    envelope.instanceId === id &&
    envelope.instance.lastDisconnectReason === reason

const fail = (lab: Lab, { number }: LabInstance, kind: string, wish: object = {}) =>
  lab.gateway.sim('POST', '/faults', { kind, number, ...wish })

export const stories: Story[] = [
  {
    name: 'an event that comes twice',
    happens:
      'the program takes an event, and its answer is lost on the way: the gateway sends it again, with the same webhook-id',
    should: 'act once: store webhook-id with what it causes, and answer 2xx to the repetition',
    async play(lab, instance) {
      lab.receiver.change({ forget: 1 }, instance.id)
      const from = await lab.createPhone()
      const id = await write(lab, from, instance, 'once, please')
      await lab.waitForDelivery('the first delivery', isMessage(id))
      await lab.passTime(60_000)
      await lab.until('the second delivery', async () => {
        const all = lab.receiver.received.filter(({ envelope }) => isMessage(id)(envelope))
        return all.some(({ isRepeated }) => isRepeated)
      })
      return { messages: [id], from }
    },
  },
  {
    name: 'a receiver that is away for a day',
    happens: 'the receiver answers 503 for a day, in which three messages come; then it is back',
    should: 'take events that are a day old, each once, and by `seq` see that none is missing',
    async play(lab, instance) {
      lab.receiver.change({ away: 503 }, instance.id)
      const friend = await lab.createPhone()
      const messages: string[] = []
      for (const text of ['one', 'two', 'three']) messages.push(await write(lab, friend, instance, text))
      // The others wait while it is tried again.
      await lab.waitForDelivery('the first of them', isMessage(messages[0] ?? ''))
      await lab.passTime(DAY)
      lab.receiver.change({ away: 0 }, instance.id)
      // By then each has been tried again.
      await lab.passTime(DAY)
      for (const id of messages)
        await lab.until('each of them to be taken', async () =>
          lab.receiver.received.some(
            ({ envelope, answered }) => isMessage(id)(envelope) && answered >= 200 && answered < 300,
          ),
        )
      return { messages, from: friend }
    },
  },
  {
    name: 'a message late after a relink',
    happens:
      'the phone logs the device out, a message comes meanwhile, and the device is linked anew: the message comes late',
    should:
      'take `late: true` as a message of its own time, in its place in the chat, and not answer it as if it were new',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      await lab.gateway.sim('POST', `/phones/${instance.number}/unlink`)
      await lab.waitForDelivery('the logout', isConnection(instance, 'logged_out'))
      await lab.gateway.moveTime(HOUR)
      const sentAt = lab.gateway.now()
      await lab.gateway.moveTime(HOUR)
      await lab.gateway.sim('POST', '/phones', { number: instance.number, history: [] })
      await lab.link(instance)
      await lab.gateway.sim('POST', `/phones/${instance.number}/history`, {
        type: 'recent',
        progress: 100,
        chats: [{ with: friend, sentAt: [sentAt] }],
      })
      const { envelope } = await lab.waitForDelivery(
        'the late message',
        ({ EventType, instanceId, message }) =>
          EventType === 'messages' && instanceId === instance.id && message.late,
      )
      return { messages: [envelope.message.messageid], from: friend }
    },
  },
  {
    name: 'a 504 that becomes true',
    happens:
      'the next message that the program sends to `to` arrives, but the network does not say so: 504 with its messageid; later `messages_update` tells it',
    should:
      'not send it again without its Idempotency-Key, keep the messageid, and take the update as the answer',
    async play(lab, instance) {
      const to = await lab.createPhone({ autoReceipt: false })
      await fail(lab, instance, 'lost_ack', { count: 1 })
      lab.continue(this.name, async () => {
        const message = await lab.until('the program to send', async () => {
          const { messages } = await lab.gateway.sim('GET', `/phones/${to}/inbox`)
          return messages[0]
        })
        // The connection ends before the network has answered, so the outcome is unknown at once.
        await fail(lab, instance, 'close', { count: 1 })
        await lab.until('the connection to be back', async () => {
          const { companions } = await lab.gateway.sim('GET', `/phones/${instance.number}`)
          return companions.some(({ online }: Json) => online)
        })
        await lab.gateway.sim('POST', `/messages/${message.id}/receipt`, { by: to, type: 'delivered' })
      })
      return { messages: [], to }
    },
  },
  {
    name: 'a refused send',
    happens:
      'the network refuses the next message that the program sends to `to`: 422 `operation_refused` with its number 479',
    should: 'report it to whoever wrote it, and not repeat it by itself: nothing was sent',
    async play(lab, instance) {
      const to = await lab.createPhone()
      await fail(lab, instance, 'ack_error', { code: 479, count: 1 })
      return { messages: [], to }
    },
  },
  {
    name: 'a replaced session',
    happens:
      'another program has connected as the same device: `connection` says `replaced`, and the gateway does not connect again by itself',
    should: 'stop sending, ask a person which of both is to live, and connect only then',
    async play(lab, instance) {
      await fail(lab, instance, 'close', { code: 440, count: 1 })
      await lab.waitForDelivery('the event', isConnection(instance, 'replaced'))
      return { messages: [] }
    },
  },
  {
    name: 'a device that its owner logs out',
    happens:
      'the owner removes the device on the phone: `connection` says `logged_out`; sends are 409 `not_connected`',
    should: 'stop sending, and ask the owner to link it anew: no repetition helps',
    async play(lab, instance) {
      await lab.gateway.sim('POST', `/phones/${instance.number}/unlink`)
      await lab.waitForDelivery('the event', isConnection(instance, 'logged_out'))
      return { messages: [] }
    },
  },
  {
    name: 'a message that its writer deletes',
    happens:
      'someone writes, and deletes it for everyone a moment later: `messages`, then `messages_update` with the state `Deleted`',
    should: 'no longer show its words, and not answer it if that has not been done yet',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const id = await write(lab, friend, instance, 'forget this')
      await lab.waitForDelivery('the message', isMessage(id))
      await lab.gateway.sim('POST', `/messages/${id}/revoke`, { by: friend })
      await lab.waitForDelivery(
        'its deletion',
        ({ EventType, state, event }) =>
          EventType === 'messages_update' && state === 'Deleted' && event.MessageIDs.includes(id),
      )
      return { messages: [id], from: friend }
    },
  },
]

/** Plays one of them to this instance. */
export async function playStory(lab: Lab, name: string, instance: LabInstance): Promise<StoryResult> {
  const story = findStory(name)
  try {
    return await story.play(lab, instance)
  } catch (error) {
    // The next story begins with a receiver that is there.
    lab.receiver.change({ away: 0, forget: 0 }, instance.id)
    throw error
  }
}

/** Throws an OperatorError that lists the names. */
export function findStory(name: string): Story {
  const found = stories.find((story) => story.name === name)
  if (!found)
    throw new OperatorError(
      `story: there is no ${name}, but ${stories.map((story) => story.name).join('; ')}.`,
    )
  return found
}
