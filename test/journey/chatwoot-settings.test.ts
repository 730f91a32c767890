// What each setting of the bridge to Chatwoot changes, and that a wrong one stops its start.

import { afterEach, expect, test, vi } from 'vitest'
import { startBridgeStage } from '../bridge-programs.ts'
import { addContact, runChatwoot } from '../chatwoot-bridge.ts'
import { SECRET } from '../device.ts'
import { until } from '../until.ts'

const stage = await startBridgeStage(2)
const { world } = stage
const all = { GROUPS: 'off', DELETIONS: 'note', ARCHIVE: 'on', CONVERSATION: 'new' }
const bridge = await runChatwoot(stage, { env: all })
const { server, device, waitForMessage, waitForSource, findOne } = bridge

test('with GROUPS=off groups stay on the phone, and people do not', async () => {
  const { number, write } = await addContact(stage, bridge)
  const group = { subject: 'Team', owner: number, participants: [device.number] }
  const { jid } = (await world.sim('POST', '/groups', group)) as { jid: string }
  const inGroup = await write({ to: jid, text: 'to all' })
  await until(
    async () => (await device.caller.post('/message/find', { id: inGroup })).body.messages.length === 1,
  )
  await waitForSource(await write({ text: 'to you' }))
  expect(server.messages.map(({ content }) => content)).not.toContainEqual(expect.stringContaining('to all'))
})

test('with DELETIONS=note a deleted message stays, with a note that replies to it', async () => {
  const { write, change } = await addContact(stage, bridge)
  const source = await write({ text: 'a mistake' })
  const message = await waitForSource(source)
  await change(source, 'revoke', {})
  const note = await findOne(({ content_attributes }) => content_attributes.in_reply_to === message.id)
  expect(note).toMatchObject({ content: '(deleted by its sender)', message_type: 'incoming' })
  expect(message).toMatchObject({ content: 'a mistake', content_attributes: {} })
})

test('with ARCHIVE=on a resolved conversation archives its chat', async () => {
  const { number, write } = await addContact(stage, bridge)
  const { conversation } = await waitForSource(await write({ text: 'thanks' }))
  server.changeStatus(conversation, 'resolved')
  await until(async () => {
    const { chats } = (await device.caller.post('/chat/find', { search: number })).body
    return chats[0]?.wa_archived === true
  })
})

test('with CONVERSATION=new a message after the end begins another conversation, which goes on', async () => {
  const { write } = await addContact(stage, bridge)
  const { conversation } = await waitForSource(await write({ text: 'a question' }))
  server.changeStatus(conversation, 'resolved')
  const next = await waitForSource(await write({ text: 'another question' }))
  const more = await waitForSource(await write({ text: 'and more' }))
  expect(next.conversation.id).not.toBe(conversation.id)
  expect(more.conversation.id).toBe(next.conversation.id)
  expect(next.conversation.contact).toBe(conversation.contact)
  expect(conversation.status).toBe('resolved')
})

test('without SIGNATURE=on a text begins with no name', async () => {
  const { number, write } = await addContact(stage, bridge)
  const { conversation } = await waitForSource(await write({ text: 'hello' }))
  server.writeAsAgent(conversation, 'Hello.')
  await waitForMessage(number, ({ text }) => text === 'Hello.')
})

test('UNCERTAIN_SECONDS keeps from asking for a message that may still be at work', {
  timeout: 120_000,
}, async () => {
  const slow = await runChatwoot(stage, { env: { UNCERTAIN_SECONDS: '5' } })
  const asked: number[] = []
  slow.server.watch = async (moment, request) => {
    if (!request.endsWith('/messages')) return false
    if (moment === 'before') asked.push(performance.now())
    else if (asked.length === 1) await slow.restart()
    return false
  }
  const { write } = await addContact(stage, slow)
  const source = await write({ text: 'is it there?' })
  const [posted = 0, looked = 0] = await until(() => asked.length > 1 && asked, { within: 30_000 })
  // The five seconds begin just before the request.
  expect(looked - posted).toBeGreaterThan(4000)
  const next = await slow.waitForSource(await write({ text: 'yes' }))
  expect(next.conversation.id).toBe((await slow.waitForSource(source)).conversation.id)
  expect(slow.server.messages).toHaveLength(2)
})

const valid = {
  DATABASE: ':memory:',
  TOKEN: 'mgi_none',
  SECRET,
  CHATWOOT: 'http://127.0.0.1:9',
  CHATWOOT_TOKEN: 'x',
  ACCOUNT: '1',
  INBOX: '5',
  CALLBACK_SECRET: 'x',
}
const { DATABASE: _, ...needed } = valid

let readings = 0
/** Reads the variables as the bridge does at its start: each import has another address, so its file is run again. */
async function readSettings(env: Record<string, string>) {
  for (const [name, value] of Object.entries({ ...valid, ...env })) vi.stubEnv(name, value)
  readings += 1
  await import(`../../bridges/bridge.ts?${readings}`)
  return (await import(`../../bridges/chatwoot/chatwoot-settings.ts?${readings}`)).settings
}

afterEach(() => vi.unstubAllEnvs())

test('what is not set is the preset', async () => {
  expect(await readSettings({})).toMatchObject({
    api: 'http://127.0.0.1:9/api/v1/accounts/1',
    inbox: 5,
    groups: true,
    signature: false,
    conversation: 'reopen',
    deletions: 'mirror',
    archive: false,
    historyDays: 0,
    uncertainMs: 20_000,
  })
})

test.each([
  ...Object.keys(needed).map((name) => [name, ''] as const),
  ...Object.keys(all).map((name) => [name, 'maybe'] as const),
  ['SIGNATURE', 'maybe'] as const,
  ...['INBOX', 'HISTORY_DAYS', 'UNCERTAIN_SECONDS'].map((name) => [name, 'many'] as const),
])('the bridge does not start with %s=%s', async (name, value) => {
  await expect(readSettings({ [name]: value })).rejects.toThrow(new RegExp(`^${name} (is not set|must be )`))
})
