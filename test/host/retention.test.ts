// What is kept of messages: thirty days unless told, and of a crowded chat the newest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rowOf } from '../../session-host/sessions/reporting.ts'
import { touchChat } from '../../session-host/store/chats.ts'
import { findChats } from '../../session-host/store/finding-chats.ts'
import { addMessage, listMessages } from '../../session-host/store/messages.ts'
import { forgetOldMessages } from '../../session-host/store/retention.ts'
import { openStore } from '../../session-host/store/store.ts'
import { DAY } from '../../shared/clock.ts'
import { emptyMessage } from '../../shared/contract/message.ts'
import { actionInputs } from '../../shared/wire/actions.ts'

const NOW = Date.UTC(2026, 8, 17)

test.each([30, 7])(
  'messages go after as many days as the operator has said, of a chat the newest stay, and an empty chat is no chat (%i)',
  async (days) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'retention-'))
    const store = await openStore(join(dataDir, 'host.db'), () => undefined)
    const say = async (chatid: string, messageid: string, at: number) => {
      const record = { ...emptyMessage, chatid, messageid, messageTimestamp: at }
      await store.commit([addMessage(rowOf(record, 'one', new Uint8Array())), touchChat('one', record)])
    }
    await say('old', 'gone', NOW - (days + 1) * DAY)
    await say('new', 'kept', NOW - (days - 1) * DAY)
    for (let at = 0; at < 12; at += 1) await say('crowded', `m${at}`, NOW - 1000 + at)

    await forgetOldMessages(store, NOW, { days, aChat: 10 })
    const idsOf = async (chatid: string) =>
      (await listMessages(store, 'one', { chatids: [chatid] }, { limit: 100, offset: 0 })).map(
        (one) => one.messageid,
      )
    expect(await idsOf('old')).toEqual([])
    expect(await idsOf('new')).toEqual(['kept'])
    expect(await idsOf('crowded')).toEqual(Array.from({ length: 10 }, (_, at) => `m${11 - at}`))
    const wanted = actionInputs['chat.find'].parse({ limit: 10 })
    const { found } = await findChats(store, 'one', wanted, { owner: '', blocked: [] })
    expect(found.map(({ id }) => id)).toEqual(['crowded', 'new'])
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  },
)
