// Stories of connections: devices that are logged out, replaced, refused, linked anew.

import { HOUR } from '@msgnet/shared/date-time.ts'
import { fail, isConnection, type Story, waitUntilTaken, write } from './story-parts.ts'

export const connectionStories: Story[] = [
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
      await lab.skipTime(HOUR)
      const sentAt = lab.gateway.now()
      await lab.skipTime(HOUR)
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
    name: 'an account that the network refuses',
    happens:
      'the connection breaks, and the network refuses the next login with 403: `connection` says `banned`, and the gateway does not try again by itself',
    should: 'stop sending, tell a person, and not connect in a loop: each try makes it worse',
    async play(lab, instance) {
      await fail(lab, instance, 'login', { code: 403, count: 1 })
      await fail(lab, instance, 'close', { count: 1 })
      await lab.waitForDelivery('the event', isConnection(instance, 'banned'))
      return { messages: [] }
    },
  },
  {
    name: 'an interruption of the network',
    happens:
      'the connection breaks and comes back by itself, and two messages that were written meanwhile come with the time at which they were written',
    should: 'go by `messageTimestamp`, not by when the event came; no call is needed',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      await fail(lab, instance, 'unreachable', { count: 1 })
      await fail(lab, instance, 'close', { count: 1 })
      const messages: string[] = []
      for (const text of ['are you there?', 'hello?']) messages.push(await write(lab, friend, instance, text))
      for (const id of messages) await waitUntilTaken(lab, id)
      await lab.waitForStatus(instance, 'connected')
      return { messages, from: friend }
    },
  },
]
