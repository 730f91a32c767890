// A person is named by number in one message and by LID in another: what the person said last counts, and once.

import { applyAnswer } from '@msgnet/session-host/sessions/apply-answer.ts'
import { applyVote } from '@msgnet/session-host/sessions/apply-vote.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import { addReaction } from '@msgnet/session-host/sessions/message-changes.ts'
import type { MessageRow } from '@msgnet/session-host/store/message-store.ts'
import { emptyMessage, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { expect, test } from 'vitest'

const PN = '5511911111111@s.msgnet.net'
const LID = '911111111@lid'
const OTHER = '5511922222222@s.msgnet.net'
const GROUP = '120363000000000001@g.us'

const byNumber = { sender: PN, sender_pn: PN, sender_lid: LID }
const byLid = { sender: LID, sender_pn: PN, sender_lid: LID }
const byOther = { sender: OTHER, sender_pn: OTHER, sender_lid: '' }

const createRecord = (fields: Partial<MessageRecord>): MessageRecord => ({
  ...emptyMessage,
  chatid: GROUP,
  isGroup: true,
  ...fields,
})

/** A batch with one stored message, as it is after the changes. */
function storeTarget(fields: Partial<MessageRecord>) {
  const record = createRecord({ messageid: 'TARGET', ...fields })
  let row = { messageid: 'TARGET', chatid: GROUP, record, encoded: new Uint8Array([1]) } as MessageRow
  const batch = {
    findRow: async () => row,
    changeRow(changed: MessageRow, record: MessageRecord) {
      if (changed.messageid === 'TARGET') row = { ...changed, record }
    },
    addEvents: () => undefined,
  } as unknown as Batch
  return { batch, readContent: () => row.record.content }
}

test('a reaction under the other id of a person replaces the one before, and its removal removes it', () => {
  const react = (to: MessageRecord, by: Partial<MessageRecord>, text: string) =>
    addReaction(to, createRecord({ ...by, text }))
  const listReactions = ({ content }: MessageRecord) =>
    (content.reactions as MessageRecord[]).map(({ sender, text }) => [sender, text])
  const first = react(react(createRecord({}), byOther, '👍'), byNumber, '🌹')
  const second = react(first, byLid, '🎉')
  expect(listReactions(second)).toEqual([
    [OTHER, '👍'],
    [LID, '🎉'],
  ])
  expect(listReactions(react(second, byNumber, ''))).toEqual([[OTHER, '👍']])
})

test('a vote under the other id of a person replaces the one before, whichever comes first', async () => {
  const { batch, readContent } = storeTarget({ type: 'poll' })
  const vote = (by: Partial<MessageRecord>, choice: string, messageTimestamp: number) => {
    const record = createRecord({ ...by, messageid: choice, content: { target: 'TARGET' }, messageTimestamp })
    const row = { messageid: choice, chatid: GROUP, record, encoded: new Uint8Array([1]) } as MessageRow
    return applyVote(batch, row, { decryptVote: () => [choice] }, '')
  }
  await vote(byOther, 'yes', 1000)
  await vote(byNumber, 'no', 2000)
  await vote(byLid, 'yes', 4000)
  await vote(byNumber, 'perhaps', 3000)
  expect(readContent().votes).toEqual([
    { sender: OTHER, choices: ['yes'], at: 1000 },
    { sender: LID, choices: ['yes'], at: 4000 },
  ])
})

test('an answer to an event under the other id of a person replaces the one before, whichever comes first', async () => {
  const { batch, readContent } = storeTarget({ messageType: 'eventMessage' })
  const answer = (by: Partial<MessageRecord>, text: string, messageTimestamp: number) =>
    applyAnswer(batch, createRecord({ ...by, text, content: { target: 'TARGET' }, messageTimestamp }), '')
  await answer(byOther, 'going', 1000)
  await answer(byLid, 'going', 2000)
  await answer(byNumber, 'not_going', 4000)
  await answer(byLid, 'maybe', 3000)
  expect(readContent().answers).toEqual([
    { sender: OTHER, answer: 'going', at: 1000 },
    { sender: PN, answer: 'not_going', at: 4000 },
  ])
})
