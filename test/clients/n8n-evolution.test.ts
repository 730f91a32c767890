// The published nodes for Evolution, unmodified, run by n8n's own engine against a gateway: each of the 59 operations that are not about bots of other makers. They need the packages of `npm ci` in `clients/n8n-nodes-msgnet/`.
//
// Alone in its process: it loads the engine of n8n.
// @vitest-environment-options { "process": "n8n-evolution" }

import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { createPhone } from '../device.ts'
import { borrowEvolution, type EvolutionScene, NAME, PIXEL, TOKEN, toOuter } from '../evolution-scene.ts'
import { startFileServer } from '../file-server.ts'
import { readMediaFile } from '../media-files.ts'
import type { Seen } from '../scene.ts'
import { isN8nInstalled, type Outcome, packageFolder, type Runner, startRunner } from './n8n-runner.ts'

const installed = isN8nInstalled()
const folder = join(packageFolder, 'node_modules', 'n8n-nodes-evolution-api')
const runner = installed ? await startRunner({ folder, credential: 'evolutionApi' }) : ({} as Runner)
const scene = installed ? await borrowEvolution({ INTERACTIVE: 'on' }) : ({} as EvolutionScene)
const { world, adminKey, friend, account, place, waitAt } = scene
afterAll(() => runner.close?.())

/** As the node writes it into a path: without what only a name may have. */
const instanceName = 'Loja-S-o-Jo-o'

async function run(operation: string, fields: Record<string, unknown> = {}): Promise<Outcome> {
  const [resource, name] = operation.split('.')
  const parameters = { resource: `${resource}-api`, operation: name, instanceName, ...fields }
  return runner.runNode({ type: 'evolutionApi', parameters })
}
/** What the node returns of the answer; a document comes without its wrapper. */
async function succeed(operation: string, fields: Record<string, unknown> = {}): Promise<Seen> {
  const { items, error } = await run(operation, fields)
  expect([operation, error?.description ?? error?.message]).toEqual([operation, undefined])
  const [{ json }] = items as [Seen]
  return json.success === true ? json.data : json
}

const files = installed ? await startFileServer() : undefined
const film = files?.serveFile('/film.mp4', readMediaFile('film.mp4'), 'video/mp4')
const voice = files?.serveFile('/voice.ogg', readMediaFile('voice.ogg'), 'audio/ogg')
const paper = files?.serveFile('/paper.pdf', Buffer.from('%PDF-1.4 paper'), 'application/pdf')

/** Made when it is first asked for. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
const getMember = once(() => createPhone(world, 'Ben'))
const getGroup = once(async () => {
  const participants = await getMember()
  return (await succeed('groups.create-group', { subject: 'Regulars', participants })).id
})
const send = async () =>
  (await succeed('messages.send-text', { remoteJid: friend, messageText: 'first' })).key.id
const getSent = once(send)
const getInvite = once(async () => (await succeed('groups.fetch-invite-code', await inGroup())).inviteCode)
const getSeen = once(async () => {
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'a question' })
  const { body } = await waitAt('/hook', ({ data }) => data.message?.conversation === 'a question')
  return body.data.key.id
})
const inChat = async () => ({ remoteJid: toOuter(friend), messageId: await getSent(), fromMe: true })
const inGroup = async (fields: object = {}) => ({ groupJid: await getGroup(), ...fields })

/** A post is shown to contacts. */
async function addContact(): Promise<object> {
  await createPlainCaller(world.run.baseUrl, { token: TOKEN }).post('/contact/add', {
    phone: friend,
    name: 'Ana',
  })
  return {}
}

type Fields = Record<string, unknown>
type Right = [fields: () => Fields | Promise<Fields>, answer: unknown]

const updated = { update: 'success' }
const ofType = (messageType: string) => ({ key: { fromMe: true }, messageType, status: 'PENDING' })

/** Each with what it is asked, and what the node makes of the answer. */
const right: Record<string, Right> = {
  'instances.instance-basic': [() => ({ instanceName: 'other' }), { instance: { instanceName: 'other' } }],
  'instances.instance-connect': [() => ({}), { instance: { state: 'open' } }],
  'instances.fetch-instances': [() => ({}), [{ connectionStatus: 'open' }]],
  'instances.instance-settings': [
    () => ({ groupsIgnore: false, syncFullHistory: true }),
    { settings: { settings: { syncFullHistory: true, groupsIgnore: false } } },
  ],
  'instances.set-presence': [() => ({ presence: 'available' }), { presence: 'available' }],
  'instances.set-proxy': [() => ({ instanceName: 'other', resourceForProxy: 'findProxy' }), undefined],
  'instances.logout-instance': [() => ({ instanceName: 'other' }), { status: 'SUCCESS' }],
  'instances.delete-instance': [() => ({ instanceName: 'other' }), { status: 'SUCCESS' }],
  'messages.send-text': [() => ({ remoteJid: friend, messageText: 'oi' }), ofType('conversation')],
  'messages.send-image': [() => ({ remoteJid: friend, media: PIXEL }), ofType('imageMessage')],
  'messages.send-video': [() => ({ remoteJid: friend, media: film }), ofType('videoMessage')],
  'messages.send-audio': [() => ({ remoteJid: friend, media: voice }), ofType('audioMessage')],
  'messages.send-document': [() => ({ remoteJid: friend, media: paper }), ofType('documentMessage')],
  'messages.send-poll': [
    () => ({
      remoteJid: friend,
      caption: 'When?',
      options_display: { metadataValues: [{ optionValue: 'Today' }, { optionValue: 'Tomorrow' }] },
    }),
    { status: 'PENDING', messageType: expect.stringMatching(/^pollCreationMessage/) },
  ],
  'messages.send-contact': [
    () => {
      const card = { fullName: 'Ana', wuid: friend, phoneNumber: friend }
      return { remoteJid: friend, contacts: { contactValues: [card] } }
    },
    ofType('contactMessage'),
  ],
  'messages.send-list': [
    () => {
      const rows = { rowValues: [{ title: 'This', description: 'one', rowId: 'a' }] }
      const sections = { sectionValues: [{ title: 'All', rows }] }
      return { remoteJid: friend, title: 'Which?', description: 'Choose', footerText: 'Shop', sections }
    },
    { status: 'PENDING' },
  ],
  'messages.send-buttons': [
    () => {
      const reply = { type: 'reply', displayText: 'This', id: 'a' }
      const link = { type: 'url', displayText: 'Open', url: 'https://shop.example/' }
      const buttons = { buttonValues: [reply, link] }
      return { remoteJid: friend, title: 'Which?', description: 'Choose', buttons }
    },
    { status: 'PENDING' },
  ],
  'messages.send-stories': [
    async () => ({
      ...(await addContact()),
      type: 'text',
      content: 'Open today',
      allContacts: true,
      backgroundColor: '#145a32',
    }),
    { status: 'PENDING' },
  ],
  'messages.send-reaction': [
    async () => ({ ...(await inChat()), reaction: '👍' }),
    ofType('reactionMessage'),
  ],
  'groups.create-group': [
    async () => ({ subject: 'Others', description: 'Ours', participants: await getMember() }),
    { subject: 'Others', desc: 'Ours', participants: expect.arrayContaining([]) },
  ],
  'groups.update-group-picture': [() => inGroup({ image: `data:image/png;base64,${PIXEL}` }), updated],
  'groups.update-group-name': [() => inGroup({ subject: 'Friends' }), updated],
  'groups.update-group-description': [() => inGroup({ description: 'Of the shop' }), updated],
  'groups.update-settings': [() => inGroup({ action: 'announcement' }), { updateSetting: {} }],
  'groups.update-participants': [
    async () => inGroup({ action: 'promote', participants: await getMember() }),
    { updateParticipants: [{ status: '200' }] },
  ],
  'groups.fetch-invite-code': [inGroup, { inviteUrl: expect.stringMatching(/^https:/) }],
  'groups.revoke-invite-code': [inGroup, { revoked: true, inviteCode: expect.any(String) }],
  'groups.send-invite-link': [() => inGroup({ description: 'Come in', numbers: friend }), { send: true }],
  'groups.fetch-groups': [
    () => ({ searchMethod: 'fetchAll', getParticipants: true }),
    expect.arrayContaining([expect.objectContaining({ participants: expect.any(Array) })]),
  ],
  'groups.find-participants': [
    inGroup,
    {
      participants: expect.arrayContaining([
        expect.objectContaining({ id: toOuter(account ?? ''), admin: 'superadmin' }),
      ]),
    },
  ],
  'groups.toggle-ephemeral': [() => inGroup({ expiration: 86_400 }), { success: true }],
  'groups.leave-group': [
    async () => {
      await getInvite()
      return inGroup()
    },
    { leave: true },
  ],
  'groups.join-group': [async () => ({ inviteCode: await getInvite() }), { accepted: true }],
  'profile.fetch-profile': [
    () => ({ remoteJid: friend }),
    { wuid: toOuter(friend ?? ''), numberExists: true },
  ],
  'profile.update-profile-name': [() => ({ name: 'The Shop' }), updated],
  'profile.update-profile-status': [() => ({ status: 'Open' }), updated],
  'profile.update-profile-picture': [() => ({ picture: PIXEL }), updated],
  'profile.remove-profile-picture': [() => ({}), updated],
  'profile.fetch-privacy-settings': [() => ({}), { readreceipts: 'all' }],
  'profile.update-privacy-settings': [() => ({}), updated],
  'chat.check-number': [() => ({ numbers: friend }), [{ exists: true, number: friend }]],
  'chat.read-messages': [
    async () => ({ remoteJid: toOuter(friend), messageId: await getSeen(), fromMe: false }),
    { read: 'success' },
  ],
  'chat.manage-archive': [
    async () => ({ chat: toOuter(friend), archive: true, ...(await inChat()) }),
    { archived: true },
  ],
  'chat.delete-message': [
    async () => ({ ...(await inChat()), messageId: await send() }),
    { status: 'DELETED' },
  ],
  'chat.fetch-profile-picture': [() => ({ number: friend }), { wuid: toOuter(friend ?? '') }],
  'chat.get-media-base64': [
    async () => {
      const { key } = await succeed('messages.send-image', { remoteJid: friend, media: PIXEL })
      return { messageId: key.id }
    },
    { base64: PIXEL, mimetype: 'image/png' },
  ],
  'chat.update-message': [async () => ({ ...(await inChat()), text: 'second' }), { key: { fromMe: true } }],
  'chat.send-presence': [() => ({ remoteJid: friend, delay: 1 }), { presence: 'composing' }],
  'chat.block-contact': [async () => ({ remoteJid: await getMember() }), { block: 'success' }],
  'chat.find-contacts': [
    () => ({ listAll: false, remoteJid: friend }),
    [{ remoteJid: toOuter(friend ?? ''), type: 'contact' }],
  ],
  'chat.find-messages': [
    async () => {
      await getSent()
      return { remoteJid: friend, offset: 1 }
    },
    { messages: { currentPage: 1, records: [{ key: { remoteJid: toOuter(friend ?? '') } }] } },
  ],
  'chat.find-status-messages': [inChat, [{ fromMe: true, status: expect.any(String) }]],
  'chat.find-chats': [
    async () => {
      await getSent()
      return { remoteJid: friend, messageId: 'any' }
    },
    [{ remoteJid: toOuter(friend ?? ''), lastMessage: {} }],
  ],
  'events.webhook': [
    () => ({ resourceForWebhook: 'findWebhook' }),
    { enabled: true, url: `http://${place}/hook`, webhookByEvents: false },
  ],
  'instances.restart-instance': [() => ({}), { instance: { instanceName: NAME } }],
}

/** With the reason. */
const refused: Record<string, [fields: () => Fields, status: number, reason: RegExp]> = {
  // There are no payments on a linked device.
  'messages.send-pix': [() => ({ remoteJid: friend, name: 'Shop', key: 'a@shop.example' }), 400, /pix/],
  // The network's client has no such request here.
  'profile.fetch-business-profile': [() => ({ remoteJid: friend }), 501, /not supported/],
  'chat.mark-unread': [() => ({ chat: friend, messageId: 'X' }), 501, /not supported/],
  // Events go to queues by a setting of the server.
  'events.rabbitmq': [() => ({ resourceForRabbitMQ: 'findRabbitMQ' }), 501, /not supported/],
}

describe.skipIf(!installed)('the nodes of Evolution', () => {
  if (installed) runner.setCredential({ 'server-url': `${world.run.baseUrl}/evolution`, apikey: adminKey })

  test('have 59 operations beside those of bots, all of which are tried', () => {
    const { properties } = runner.loader.getNode('evolutionApi').type.description
    const offered = (properties as Seen[])
      .filter(({ name }) => name === 'operation')
      .flatMap(({ displayOptions, options }) =>
        options.map(({ value }: Seen) => `${displayOptions.show.resource[0].replace(/-api$/, '')}.${value}`),
      )
      .filter((name) => !name.startsWith('integrations.'))
    expect([...Object.keys(right), ...Object.keys(refused)].sort()).toEqual(offered.sort())
    expect(offered.length).toBe(59)
  })

  test.each(Object.entries(right))('%s is right', async (operation, [fields, answer]) => {
    const data = await succeed(operation, await fields())
    if (answer !== undefined) expect(data).toMatchObject(answer as object)
  })

  test.each(Object.entries(refused))(
    '%s is refused with its reason',
    async (operation, [fields, status, reason]) => {
      const { error } = await run(operation, fields())
      const words = JSON.stringify([error?.message, error?.description])
      expect(words).toContain(String(status))
      expect(words).toMatch(reason)
    },
  )
})
