// What the settings of an account of Evolution API become here.

import { EvolutionRow, translateSettings } from '@msgnet/cli/move-in/evolution-rows.ts'
import { openSource } from '@msgnet/cli/move-in/open-source.ts'
import { expect, test } from 'vitest'

const instance = { id: '1', name: 'shop', connectionStatus: 'close' }
const webhook = { url: 'https://receiver.example.com/', enabled: true }
const translate = (row: object) => translateSettings(EvolutionRow.parse({ instance, ...row }))

test('every event that has a counterpart becomes it, once, and the others are named', () => {
  const known =
    'MESSAGES_UPSERT SEND_MESSAGE MESSAGES_UPDATE MESSAGES_DELETE MESSAGES_EDITED SEND_MESSAGE_UPDATE MESSAGES_SET ' +
    'CONNECTION_UPDATE GROUPS_UPSERT GROUP_UPDATE GROUP_PARTICIPANTS_UPDATE CALL PRESENCE_UPDATE'
  const unknown = 'QRCODE_UPDATED CONTACTS_UPSERT CHATS_UPDATE TYPEBOT_START'
  const events = `${known} ${unknown}`.split(' ')
  expect(translate({ webhook: { ...webhook, events } })).toMatchObject({
    webhook: {
      events: [
        'messages',
        'messages_update',
        'messages_edit',
        'history',
        'connection',
        'groups',
        'call',
        'presence',
      ],
    },
    notMoved: ['the events QRCODE_UPDATED, CONTACTS_UPSERT, CHATS_UPDATE, TYPEBOT_START'],
  })
})

test.each([
  ['is turned off', { ...webhook, enabled: false, events: ['CALL'] }, ['its webhook, which is turned off']],
  ['has no events', { ...webhook, events: [] }, ['its webhook, which has no event of ours']],
  ['has null', { ...webhook, events: null, headers: null }, ['its webhook, which has no event of ours']],
])('a webhook that %s does not come along, and that is said', (_, row, notMoved) => {
  const brought = translate({ webhook: row })
  expect([brought.webhook, brought.notMoved]).toEqual([undefined, notMoved])
})

test('a proxy that is on comes along with its password, and one that is off does not', () => {
  const proxy = {
    protocol: 'socks5',
    host: 'proxy.example.net',
    port: '1080',
    username: 'a b',
    password: 'p@ss',
  }
  expect(translate({ proxy: { ...proxy, enabled: true } }).proxy).toBe(
    'socks5://a%20b:p%40ss@proxy.example.net:1080',
  )
  expect(translate({ proxy: { ...proxy, enabled: false } }).proxy).toBeUndefined()
})

test('an Evolution API with MySQL is refused by its name', async () => {
  const opened = openSource('evolution:mysql://evolution:secret@127.0.0.1:3306/evolution', undefined)
  await expect(opened).rejects.toThrow('an Evolution API with MySQL are linked anew by a code')
})
