// Where a driver differs from the table, how, and why.

import type { Differences } from './run.ts'

export const driverDifferences: Differences = {
  'a message that arrives twice is received once': {
    shows: 'to match object [ { type:',
    how: 'It reports the message twice, decrypted both times; the host stores it once, under its id.',
  },
  'a chat is marked as read for all devices': {
    shows: 'Lacking',
    how: 'It has no such call: no route of the API marks a chat as read for the other devices of its account.',
  },
  'a message is starred': {
    shows: 'Lacking',
    how: 'It has no such call: no route of the API stars a message.',
  },
}

export const olderDifferences: Differences = {
  'an account that was migrated to LIDs sends to a person and receives the reply': {
    shows: "expected { kind: 'refused', code: 463 }",
    how: 'It writes to the number, which the network refuses with 463. Its other scenarios run on accounts that were not migrated, ours on migrated ones.',
  },
  'presence is shown and withdrawn': {
    shows: 'it never became true',
    how: 'It sends no presence while it does not know the account’s own name, and does not say so.',
  },
  'all changes of a group while the device was away are reported': {
    shows: 'it never became true',
    how: 'Of several changes of a group it reports the first: its buffer of events drops the others. The newer line does so too; our driver bypasses that buffer.',
  },
  'a member with a new phone reads the next message, by pn': {
    shows: 'it never became true',
    how: 'It gives a new phone the key of a group only when the phone has requested a message again. So does the newer line by itself.',
  },
  'a member with a new phone reads the next message, by lid': {
    shows: 'it never became true',
    how: 'As in a group by numbers.',
  },
  'members that others add, promote and remove are reported, by lid': {
    shows: 'it never became true',
    how: 'It names the members of a group that is addressed by LID by their LIDs only, although the network names both.',
  },
}
