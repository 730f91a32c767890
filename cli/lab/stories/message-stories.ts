// Stories of messages that change, or come in another order than they were written.

import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import type { Json } from '../lab-gateway.ts'
import { fail, isMessage, isUpdate, type Story, waitUntilTaken, write } from './story-parts.ts'

export const messageStories: Story[] = [
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
      await lab.waitForDelivery('its deletion', isUpdate(id, 'Deleted'))
      return { messages: [id], from: friend }
    },
  },
  {
    name: 'a message that disappears',
    happens:
      'someone has the messages of the chat disappear after a day, and writes: `messages_update` of the type `ChatTimer`, and a message whose `content.disappearsAt` says when',
    should:
      'delete its own copy at `content.disappearsAt`; what it sends to the chat carries the timer by itself',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const setting = { type: 'EPHEMERAL_SETTING', ephemeralExpiration: DAY / SECOND }
      const timer = await write(lab, friend, instance, '', {
        text: undefined,
        kind: 'protocolMessage',
        fields: setting,
      })
      await lab.waitForDelivery(
        'the timer',
        ({ EventType, type, event }) =>
          EventType === 'messages_update' && type === 'ChatTimer' && event.MessageIDs.includes(timer),
      )
      const id = await write(lab, friend, instance, '', {
        text: undefined,
        kind: 'extendedTextMessage',
        fields: { text: 'gone tomorrow', contextInfo: { expiration: DAY / SECOND } },
      })
      await waitUntilTaken(lab, id)
      return { messages: [id], from: friend }
    },
  },
  {
    name: 'an edit before its message',
    happens:
      'an edit comes while its message is still on the way: `messages_edit` with `unreadable`; then the message comes, and its new words by another `messages_edit`',
    should: 'not fail at an edit of a message that it does not know, and store the words that come later',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const id = await write(lab, friend, instance, 'at five', { held: true })
      await lab.gateway.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'at six' })
      const isEdit = (envelope: Json) =>
        envelope.EventType === 'messages_edit' && envelope.event.messageid === id
      await lab.waitForDelivery('the edit', isEdit)
      await lab.gateway.sim('POST', `/messages/${id}/deliver`)
      await lab.waitForDelivery('the new words', (one) => isEdit(one) && one.event.text === 'at six')
      return { messages: [id], from: friend }
    },
  },
  {
    name: 'a deletion before its message',
    happens: 'someone deletes a message that is still on the way; then it comes',
    should:
      'not fail at a deletion of a message that it does not know, and not show the message when it comes',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const id = await write(lab, friend, instance, 'not for you', { held: true })
      await lab.gateway.sim('POST', `/messages/${id}/revoke`, { by: friend })
      await lab.waitForDelivery('its deletion', isUpdate(id, 'Deleted'))
      await lab.gateway.sim('POST', `/messages/${id}/deliver`)
      const last = await write(lab, friend, instance, 'sorry')
      await waitUntilTaken(lab, last)
      return { messages: [last], from: friend }
    },
  },
  {
    name: 'a message that is read at the second try',
    happens:
      'a message cannot be decrypted, and the gateway has its sender encrypt it again: it comes once, a moment later',
    should: 'no more than with any other; one that was written later may come before it',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      await waitUntilTaken(lab, await write(lab, friend, instance, 'first'))
      await fail(lab, instance, 'garble', { count: 1 })
      const id = await write(lab, friend, instance, 'second')
      await waitUntilTaken(lab, id)
      return { messages: [id], from: friend }
    },
  },
  {
    name: 'a reaction that is taken back',
    happens:
      'someone reacts to a message of their own and takes it back: two `messages` whose `reaction` is the id of the message, the second with an empty text',
    should: 'show one reaction of a person to a message, the newest, and none where its text is empty',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const id = await write(lab, friend, instance, 'a joke')
      const isReaction = (text: string) => (envelope: Json) =>
        envelope.EventType === 'messages' &&
        envelope.message.reaction === id &&
        envelope.message.text === text
      for (const text of ['👍', '']) {
        await lab.gateway.sim('POST', `/messages/${id}/react`, { by: friend, text })
        await lab.waitForDelivery('the reaction', isReaction(text))
      }
      return { messages: [id], from: friend }
    },
  },
  {
    name: 'a vote that changes',
    happens:
      'someone sends a poll and votes twice: two `messages_update` with the state `Voted`, of which the second replaces the first',
    should:
      'count one vote a person, the newest; `event.vote` has all choices of it, and none if it was taken back',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const poll = { name: 'Where to?', choices: ['Rome', 'Paris'], selectable: 1 }
      const id = await write(lab, friend, instance, '', { text: undefined, poll })
      await waitUntilTaken(lab, id)
      for (const choice of poll.choices) {
        await lab.gateway.sim('POST', `/messages/${id}/vote`, { by: friend, choices: [choice] })
        await lab.waitForDelivery(
          'the vote',
          (envelope) => isUpdate(id, 'Voted')(envelope) && envelope.event.vote.includes(choice),
        )
      }
      return { messages: [id], from: friend }
    },
  },
]
