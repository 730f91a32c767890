// The names by which the console finds emoji.

import { GROUPS, listNames } from '@msgnet/console/conversation/emoji-groups.ts'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import { expect, test } from 'vitest'

test.each([
  ['English', english],
  ['Portuguese', portuguese],
  ['Spanish', spanish],
])('each emoji has a name in %s', (_, { conversation: { emoji } }) => {
  expect(emoji.names.map((names) => listNames(names).length)).toEqual(GROUPS.map((group) => group.length))
})
