// Stories of sends: what the network does to the next one of the program.

import { HOUR } from '@msgnet/shared/date-time.ts'
import type { Json } from '../lab-gateway.ts'
import { fail, type Story, waitUntilTaken } from './story-parts.ts'

export const sendStories: Story[] = [
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
    name: 'a send that the network limits',
    happens:
      'the network says that the account sends too fast when the program sends to `to` next: 429 `rate_limited` with `Retry-After`, and a `limits` event',
    should: 'wait for as long as `Retry-After` says, and send it again with the same Idempotency-Key',
    async play(lab, instance) {
      const to = await lab.createPhone()
      await fail(lab, instance, 'ack_error', { code: 429, count: 1 })
      return { messages: [], to }
    },
  },
  {
    name: 'a file that cannot be uploaded',
    happens:
      'the network gives no place for the next file that the program sends to `to`: 502 `media_unavailable`, and nothing was sent; the one after that is sent',
    should:
      'send it again with a new Idempotency-Key, for the old one answers what it answered; a 502 is certainly without effect',
    async play(lab, instance) {
      const to = await lab.createPhone()
      await fail(lab, instance, 'refuse', { xmlns: 'w:m', code: 500, count: 1 })
      return { messages: [], to }
    },
  },
  {
    name: 'a message that is due while the account is offline',
    happens:
      'the program schedules its next message to `to`; when it is due, the network is not reachable. An hour later it is, and the message leaves once: `messages_update` with the state `Sent`',
    should: 'wait for the update, and not send it by other means meanwhile',
    async play(lab, instance) {
      const to = await lab.createPhone()
      lab.continue(this.name, async () => {
        const scheduledFor = await lab.until('the program to schedule a message', async () => {
          const { scheduled } = await lab.callAs(instance, 'GET', '/v1/scheduled')
          return scheduled[0]?.scheduledFor as string | undefined
        })
        const { id } = await fail(lab, instance, 'unreachable')
        await fail(lab, instance, 'close', { count: 1 })
        await lab.until('the connection to be away', async () => {
          const { companions } = await lab.gateway.sim('GET', `/phones/${instance.number}`)
          return !companions.some(({ online }: Json) => online)
        })
        await lab.skipTime(Math.max(0, new Date(scheduledFor).getTime() - lab.gateway.now()) + HOUR)
        await lab.gateway.sim('DELETE', `/faults/${id}`)
        await lab.until('the message', async () => {
          const { messages } = await lab.gateway.sim('GET', `/phones/${to}/inbox`)
          return messages[0]
        })
      })
      return { messages: [], to }
    },
  },
  {
    name: 'a number that is not on the network',
    happens: 'nobody has the number `to`: what the program sends there is 422 `not_on_network`',
    should: 'tell whoever gave it, and not try it again',
    async play(lab) {
      return { messages: [], to: lab.createUnusedNumber() }
    },
  },
  {
    name: 'a group that the account is removed from',
    happens:
      'someone adds the account to a group, writes there, and removes it: `groups` says so; what the program sends to `to`, the id of the group, is 403 `not_in_group`',
    should: 'no longer write there, and not read a refusal as a failure of the gateway',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const { jid } = await lab.gateway.sim('POST', '/groups', {
        subject: 'Order 7',
        owner: friend,
        participants: [instance.number],
      })
      const { id } = await lab.gateway.sim('POST', '/messages', { from: friend, to: jid, text: 'welcome' })
      await waitUntilTaken(lab, id)
      await lab.gateway.sim('POST', `/groups/${jid}/participants`, {
        action: 'remove',
        participants: [instance.number],
        by: friend,
      })
      await lab.waitForDelivery(
        'the event',
        ({ EventType, instanceId, event }) =>
          EventType === 'groups' && instanceId === instance.id && event.JID === jid && event.Leave?.length,
      )
      return { messages: [id], from: friend, to: jid }
    },
  },
]
