// Which filters a message falls under.

import { matchFilters } from '@msgnet/edge/store/events/ingest-reports.ts'
import { expect, test } from 'vitest'

test('a message falls under one filter of each pair', () => {
  const received = { message: { wasSentByApi: false, fromMe: false, isGroup: true } }
  expect(matchFilters('messages', received)).toEqual(['wasNotSentByApi', 'fromMeNo', 'isGroupYes'])
  const sent = { message: { wasSentByApi: true, fromMe: true, isGroup: false } }
  expect(matchFilters('messages', sent)).toEqual(['wasSentByApi', 'fromMeYes', 'isGroupNo'])
})

test('other events are not filtered', () => {
  expect(matchFilters('messages_update', { message: { fromMe: true } })).toEqual([])
  expect(matchFilters('messages', {})).toEqual([])
})
