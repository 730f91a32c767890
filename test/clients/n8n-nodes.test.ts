// The nodes for n8n, built as they are published, checked by n8n's linters and run by n8n's own engine against a gateway. They need the packages of `npm ci` in `clients/n8n-nodes-msgnet/`.
//
// Alone in its process: it loads the engine of n8n.
// @vitest-environment-options { "process": "n8n-nodes" }
// @module-tag slow

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPhone, createQuietPhone } from '../device.ts'
import { film } from '../media-files.ts'
import { borrowScene, type Scene, type Seen } from '../scene.ts'
import { impatient } from '../world.ts'
import { isN8nInstalled, type NodeRun, packageFolder, type Runner, startRunner } from './n8n-runner.ts'

const installed = isN8nInstalled()
const runner = installed ? await startRunner() : ({} as Runner)
const missing = 'n8n is not installed: npm ci in clients/n8n-nodes-msgnet'

/** No part of a run waits as long as an action may take. */
const scene: Scene | undefined = installed ? await borrowScene(impatient) : undefined
const { world, device, readInbox, waitForMessage, waitForEvent, causeFault, endFaults } =
  scene ?? ({} as Scene)

let friend: string

beforeAll(async () => {
  if (!installed) return
  runner.setCredential({ baseUrl: `${world.run.baseUrl}/`, token: device.token })
  friend = await createPhone(world, 'Ana')
})
afterEach(async () => {
  if (installed) await endFaults()
})
afterAll(() => runner.close?.())

let executions = 100
const runOperation = (name: string, fields: Record<string, unknown>, more: Partial<NodeRun> = {}) => {
  const [resource, operation] = name.split('.')
  return runner.runNode({
    parameters: { resource, operation, ...fields },
    executionId: String(executions++),
    ...more,
  })
}
const readTexts = async (number: string) => (await readInbox(number)).map(({ text }: Seen) => text)

describe.skipIf(!installed)(`the package${installed ? '' : ` (${missing})`}`, () => {
  /** Beside this process: an open connection would be closed by its server while this one is blocked, and the next request on it fail. */
  const run = (program: string, ...args: string[]) => {
    // In tests of its own the linter takes the names of files for others.
    const options = { cwd: packageFolder, env: { ...process.env, NODE_ENV: 'production' } }
    const command = [join('node_modules', program), ...args]
    return new Promise<string>((resolve) => {
      execFile(process.execPath, command, options, (error, stdout, stderr) =>
        resolve(stdout + stderr || (error?.message ?? '')),
      )
    })
  }

  test('has nothing that the linters of n8n report', async () => {
    expect(await run('eslint/bin/eslint.js', '--max-warnings', '0', '.')).toBe('')
  }, 120_000)

  test('has the types that n8n has', async () => {
    expect(await run('typescript/bin/tsc', '-p', 'tsconfig.json')).toBe('')
  }, 120_000)

  test('is loaded by n8n with both nodes, their pictures and the credential', () => {
    expect(Object.keys(runner.loader.known.nodes)).toEqual(['msgnet', 'msgnetTrigger'])
    expect(runner.loader.known.credentials.msgnetApi.supportedNodes).toEqual(['msgnet', 'msgnetTrigger'])
    const { iconUrl } = runner.loader.getNode('msgnet').type.description
    expect(iconUrl.light).toMatch(/msgnet\.svg$/)
  })

  test('has a test of the credential that the gateway answers', async () => {
    const { url } = runner.loader.getCredential('msgnetApi').type.test.request
    expect((await device.caller.get(url)).status).toBe(200)
    expect((await world.callAs('mgi_wrong').get(url)).status).toBe(401)
  })
})

describe.skipIf(!installed)('the node sends', () => {
  test('a text, with the fields that were added, and returns its record linked to its item', async () => {
    const { items, error } = await runOperation('message.sendText', {
      number: Number(friend),
      text: 'Your order has been sent.',
      additionalFields: { track_id: 'order-7', track_source: 'n8n', replyid: '' },
    })
    expect(error).toBeUndefined()
    expect(items).toMatchObject([
      {
        json: { text: 'Your order has been sent.', track_id: 'order-7', fromMe: true },
        pairedItem: { item: 0 },
      },
    ])
    await waitForMessage(friend, ({ text }) => text === 'Your order has been sent.')
  })

  test('a place, a contact card and a poll', async () => {
    const place = {
      number: friend,
      latitude: -23.55,
      longitude: -46.63,
      additionalFields: { name: 'The Shop' },
    }
    const card = { number: friend, fullName: 'Bruno Alves', phoneNumber: friend }
    const poll = { number: friend, type: 'poll', text: 'When?', choices: 'Today\nTomorrow, or later\n' }
    const sent = [
      await runOperation('message.sendLocation', place),
      await runOperation('message.sendContact', card),
      await runOperation('message.sendMenu', poll),
    ]
    expect(sent.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
    expect(sent[2]?.items[0].json.content).toMatchObject({ choices: ['Today', 'Tomorrow, or later'] })
    await waitForMessage(friend, ({ type }) => type === 'poll')
  })

  test('the file of an item, and gets it back from the message as binary data', async () => {
    const invoice = {
      data: Buffer.from('Invoice 7').toString('base64'),
      mimeType: 'text/plain',
      fileName: 'invoice.txt',
    }
    const fields = { number: friend, type: 'document', isBinary: true, binaryPropertyName: 'invoice' }
    const sent = await runOperation('message.sendMedia', fields, {
      items: [{ json: {}, binary: { invoice } }],
    })
    expect(sent.error).toBeUndefined()
    expect(sent.items[0].json.content).toMatchObject({ fileName: 'invoice.txt' })
    const { messageid } = sent.items[0].json
    const { items, error } = await runOperation('message.download', {
      id: messageid,
      binaryPropertyName: 'file',
    })
    expect(error).toBeUndefined()
    const { file } = items[0].binary
    expect(file.mimeType).toMatch(/^text\/plain/)
    expect(String(Buffer.from(file.data, 'base64'))).toBe('Invoice 7')
  })

  test('an album of the files of an item, or of addresses, each once', async () => {
    const number = await createPhone(world, 'Davi')
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00c' } })
      .jpeg()
      .toBuffer()
    const picture = { data: bytes.toString('base64'), mimeType: 'image/jpeg', fileName: 'window.jpg' }
    const fields = {
      number,
      isBinary: true,
      binaryPropertyNames: 'one, two',
      albumCaption: 'Our new window',
      additionalFields: { track_id: 'album-7' },
    }
    const items = [{ json: {}, binary: { one: picture, two: { data: film, mimeType: 'video/mp4' } } }]
    const sent = await runOperation('message.sendAlbum', fields, { items, executionId: '20' })
    expect(sent.error).toBeUndefined()
    expect(sent.items[0].json).toMatchObject({
      sent: 2,
      unsent: 0,
      track_id: 'album-7',
      messages: [{ mediaType: 'image', text: 'Our new window' }, { mediaType: 'video' }],
    })
    const again = await runOperation('message.sendAlbum', fields, { items, executionId: '20' })
    expect(again.items[0].json.messageid).toBe(sent.items[0].json.messageid)
    const file = `data:image/jpeg;base64,${picture.data}`
    const byAddress = {
      number,
      isBinary: false,
      albumFiles: { file: [1, 2].map((n) => ({ type: 'image', file, text: `Window ${n}` })) },
    }
    const second = await runOperation('message.sendAlbum', byAddress)
    expect(second.items[0].json.messages).toMatchObject([{ text: 'Window 1' }, { text: 'Window 2' }])
    await waitForMessage(number, ({ caption }) => caption === 'Window 2')
    expect((await readInbox(number)).map(({ type }: Seen) => type)).toEqual([
      'album',
      'image',
      'video',
      'album',
      'image',
      'image',
    ])
  })

  test('at a later time, which is listed and cancelled', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const sent = await runOperation('message.sendText', {
      number: friend,
      text: 'later',
      additionalFields: { sendAt },
    })
    expect(sent.items[0].json).toMatchObject({ status: 'Scheduled' })
    const { messageid } = sent.items[0].json
    const waiting = await runOperation('scheduled.getAll', { returnAll: true })
    expect(waiting.items.map(({ json }) => json.messageid)).toEqual([messageid])
    expect((await runOperation('scheduled.cancel', { id: messageid })).items[0].json).toEqual({
      cancelled: true,
    })
  })
})

describe.skipIf(!installed)('a step that is tried again', () => {
  test('sends nothing twice, and each item, execution and round of a loop sends its own', async () => {
    const number = await createPhone(world, 'Bia')
    const fields = { number, text: 'once' }
    const items = [{ json: {} }, { json: {} }]
    const first = await runOperation('message.sendText', fields, { items, executionId: '7' })
    const again = await runOperation('message.sendText', fields, { items, executionId: '7' })
    expect(again.items.map(({ json }) => json.messageid)).toEqual(
      first.items.map(({ json }) => json.messageid),
    )
    await runOperation('message.sendText', fields, { executionId: '8' })
    await runOperation('message.sendText', { ...fields, text: 'last' })
    await waitForMessage(number, ({ text }) => text === 'last')
    expect(await readTexts(number)).toEqual(['once', 'once', 'once', 'last'])
  })

  test('by n8n after an unknown outcome sends nothing twice, and says what is known', async () => {
    const number = await createQuietPhone(world)
    await causeFault('lost_ack')
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 }
    const { error } = await runOperation('message.sendText', { number, text: 'lost' }, { settings })
    expect(error.message).toMatch(/respond/)
    expect(error.description).toMatch(/^Code outcome_unknown, messageid: \w+.*sends nothing twice/)
    expect(await readTexts(number)).toEqual(['lost'])
  })

  test('in another execution sends nothing twice with an Idempotency-Key of its own', async () => {
    const number = await createPhone(world, 'Caio')
    const fields = { number, text: 'order 9', additionalFields: { idempotencyKey: 'order-9' } }
    const [one, two] = [
      await runOperation('message.sendText', fields),
      await runOperation('message.sendText', fields),
    ]
    expect(two?.items[0].json.messageid).toBe(one?.items[0].json.messageid)
    expect(await readTexts(number)).toEqual(['order 9'])
  })
})

describe.skipIf(!installed)('a failure', () => {
  test('has the code and the words of the gateway', async () => {
    const { error } = await runOperation('message.sendText', { number: '12', text: 'x' })
    expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '400', context: { itemIndex: 0 } })
    expect(error.message).toContain('number')
    expect(error.description).toMatch(/^Code invalid_number.*request /)
  })

  test('is an item where the workflow goes on, and the other items are sent', async () => {
    const items = [{ json: { to: '12' } }, { json: { to: friend } }]
    const fields = { number: '={{ $json.to }}', text: 'to all' }
    const failure = {
      json: { error: 'invalid_number', message: expect.stringContaining('number') },
      pairedItem: { item: 0 },
    }
    const success = { json: { text: 'to all' }, pairedItem: { item: 1 } }
    const going = { items, settings: { onError: 'continueRegularOutput' } }
    expect((await runOperation('message.sendText', fields, going)).items).toMatchObject([failure, success])
    const apart = { items, settings: { onError: 'continueErrorOutput' } }
    const outcome = await runOperation('message.sendText', fields, apart)
    expect([outcome.items, outcome.failed]).toMatchObject([[success], [failure]])
  })

  test('of the connection says so', async () => {
    runner.setCredential({ baseUrl: 'http://127.0.0.1:9', token: device.token })
    const { error } = await runOperation('message.sendText', { number: friend, text: 'x' })
    runner.setCredential({ baseUrl: world.run.baseUrl, token: device.token })
    expect(error.message).toBe('The gateway did not respond')
  })
})

describe.skipIf(!installed)('the node works on', () => {
  test('messages: react, edit, pin, star, forward, delete, mark as read, find', async () => {
    const { items } = await runOperation('message.sendText', { number: friend, text: 'first words' })
    const { id } = items[0].json
    const { id: received } = await world.sim('POST', '/messages', {
      from: friend,
      to: device.number,
      text: 'hello',
    })
    await waitForEvent('messages', ({ message }) => message.messageid === received)
    const steps: [string, Record<string, unknown>][] = [
      ['message.react', { id: received, number: friend, text: '👍' }],
      ['message.react', { id: received, number: friend, text: '' }],
      ['message.edit', { id, text: 'other words' }],
      ['message.pin', { id, pin: true, days: 1 }],
      ['message.star', { id, star: true }],
      ['message.forward', { id: received, number: friend }],
      ['message.markRead', { id: `${received}, ` }],
      ['message.delete', { id }],
    ]
    for (const [name, fields] of steps) expect((await runOperation(name, fields)).error, name).toBeUndefined()
    const some = await runOperation('message.getAll', {
      returnAll: false,
      limit: 2,
      additionalFields: { chatid: friend },
    })
    expect(some.items).toHaveLength(2)
    const all = await runOperation('message.getAll', {
      returnAll: true,
      additionalFields: { chatid: friend },
    })
    expect(all.items.map(({ json }) => json.messageid)).toContain(received)
  })

  test('chats, contacts, groups and the instance', async () => {
    const group = await runOperation('group.create', { name: 'Regulars', participants: `${friend},` })
    const { JID: groupjid } = group.items[0].json
    const steps: [string, Record<string, unknown>][] = [
      ['chat.archive', { number: friend, archive: true }],
      ['chat.getAll', { returnAll: true, additionalFields: { wa_archived: true } }],
      ['chat.markRead', { number: friend }],
      ['chat.showTyping', { number: friend, presence: 'composing' }],
      ['contact.block', { number: friend, block: false }],
      ['contact.check', { numbers: [friend] }],
      ['contact.getAll', { returnAll: false, limit: 5, additionalFields: { contactScope: 'all' } }],
      ['group.changeParticipants', { groupjid, action: 'promote', participants: friend }],
      ['group.get', { groupjid }],
      ['group.getAll', { additionalFields: { noparticipants: true } }],
      ['group.rename', { groupjid, name: 'Friends' }],
      ['group.setDescription', { groupjid, description: '' }],
      ['group.setWriters', { groupjid, announce: true }],
      ['group.changeSettings', { groupjid, additionalFields: { joinApproval: true, ephemeral: 86_400 } }],
      ['group.getJoinRequests', { groupjid }],
      ['group.leave', { groupjid }],
      ['instance.connect', {}],
      ['instance.getLimits', {}],
      ['instance.getStatus', {}],
      ['instance.setAbout', { about: 'Open from nine to five.' }],
      ['instance.getAbout', {}],
    ]
    const found: Record<string, Seen[]> = {}
    for (const [name, fields] of steps) {
      const { items, error } = await runOperation(name, fields)
      expect(error, name).toBeUndefined()
      found[name] = items.map(({ json }) => json)
    }
    expect(found['chat.getAll']).toMatchObject([{ wa_archived: true }])
    expect(found['contact.check']).toMatchObject([{ query: friend, isInMsgnet: true }])
    expect(found['group.changeSettings']).toMatchObject([{ group: { DisappearingTimer: 86_400 } }])
    expect(found['group.getJoinRequests']).toEqual([{ requests: [] }])
    expect(found['instance.getAbout']).toMatchObject([{ about: 'Open from nine to five.' }])
    expect(found['group.getAll']).toMatchObject([{ JID: groupjid }])
    expect(found['instance.getStatus']).toMatchObject([{ loggedIn: true }])
  })
})
