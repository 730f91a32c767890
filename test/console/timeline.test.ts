// What an open conversation of the console shows, in which order: pages of messages, and events that change them.

import {
  emptyTimeline,
  mergeEvent,
  mergeRecords,
  sortMessages,
} from '@msgnet/console/conversation/timeline.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { expect, test } from 'vitest'

/** Two messages of one second, as the network counts. */
const record = (messageid: string) => ({ ...emptyMessage, messageid, type: 'text', messageTimestamp: 1000 })

test('messages of one second stay in the order in which they were stored, within a page and across pages', () => {
  const newest = mergeRecords(emptyTimeline, [record('d'), record('c')])
  const both = mergeRecords(newest, [record('b'), record('a')], { isEarlier: true })
  const later = mergeRecords(both, [record('e')])
  expect(sortMessages(later).map(({ messageid }) => messageid)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('an edit that cannot be read leaves the words that are shown', () => {
  const shown = mergeRecords(emptyTimeline, [{ ...record('a'), text: 'at five' }])
  const edit = (event: object) =>
    ({ EventType: 'messages_edit', event: { messageid: 'a', mentions: [], ...event } }) as never
  const unreadable = mergeEvent(shown, edit({ text: '', unreadable: true }), '')
  expect(sortMessages(unreadable)).toMatchObject([{ text: 'at five', edited: '' }])
  expect(sortMessages(mergeEvent(unreadable, edit({ text: 'at six' }), ''))).toMatchObject([
    { text: 'at six', edited: 'a' },
  ])
})
