// Every sample of the documentation as a request to a running gateway, with what it names made before.

import { type Entry, entries } from '@msgnet/openapi/document.ts'
import * as story from '@msgnet/shared/api/sample-values.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import type { ApiResponse, Caller } from '../caller.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import type { Receiver } from '../receiver.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'

export interface Sample extends Entry {
  title: string
  /** What the sample shows; `answer` where the operation takes no body. */
  name: string
  body: unknown
}

/** What goes on for as long as the caller stays, and has tests of its own. */
export const endless = 'streamEvents'

/** Made of what another operation answered, of a call that rings, or without an end: tested in their own stories. */
const byThemselves = [
  endless,
  'serveMedia',
  'recoverMessage',
  'rejectCall',
  'listCalls',
  'sendPasskey',
  'sendPasskeyById',
]

export const samples: Sample[] = entries
  .filter(({ operation: { id, auth } }) => auth !== 'host' && !byThemselves.includes(id))
  .flatMap((entry) =>
    Object.entries(entry.operation.body?.samples ?? { answer: undefined }).map(([name, body]) => ({
      ...entry,
      title: `${entry.route}: ${name}`,
      name,
      body,
    })),
  )

/** Samples that show events, so that there must be some. */
const readingEvents = [
  'listEvents',
  'getEvent',
  'redriveEvents',
  'getWebhook',
  'getOverview',
  'searchInstances',
]

/** They change what an account is, or list all that it has: each has a linked device of its own. */
const withOwnDevice = [
  'restart',
  'renameProfile',
  'changeAbout',
  'changeProfileImage',
  'showOwnPresence',
  'changePrivacy',
  'sendStatus',
  'listLabels',
  'editLabel',
  'labelChat',
  'findChats',
  'listContacts',
  'findContacts',
  'listGroups',
]

/** What others show besides. */
const shownBy: Record<
  string,
  (world: SharedWorld, itself: Caller, friend: string, owner: string) => Promise<unknown>
> = {
  showChat: (world, _, friend) => world.sim('PATCH', `/phones/${friend}/profile`, { picture: dot }),
  // A status post is for those in the address book.
  sendStatus: (_, itself, friend) => addContact(itself, friend),
  listContacts: (_, itself, friend) => addContact(itself, friend),
  findContacts: (_, itself, friend) => addContact(itself, friend),
  checkNumbers: (world) => createPhone(world, 'Ana', { username: 'ana.souza' }),
  listLabels: (_, itself) => itself.post('/label/edit', { name: 'Customers', color: 3 }),
  async listGroups(world, itself, _, owner) {
    await createGroup(world, owner)
    await until(async () => (await itself.get('/group/list')).body.groups.length > 0)
  },
  configureServerWebhook: ({ admin }) => admin.post('/v1/webhook', serverWebhook),
}

const serverWebhook = {
  url: story.webhook.url,
  events: 'all',
  secret: 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
}

const addContact = (itself: Caller, phone: string) =>
  itself.post('/contact/add', { phone, name: 'Bruno Alves' })

/** A JPEG of one pixel. */
const dot =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z'

export interface Stage {
  world: SharedWorld
  receiver: Receiver
  /** Without it each sample links a device of its own. */
  sharedDevice?: SharedDevice
}

/** Linked once for the samples that read, or that act on a phone and a group which were made for them: no other sample sees that. */
export class SharedDevice {
  readonly #world: SharedWorld
  #linked: Promise<LinkedDevice> | undefined

  constructor(world: SharedWorld) {
    this.#world = world
  }

  link(): Promise<LinkedDevice> {
    this.#linked ??= createDevice(this.#world, 'Shop').then((device) => linkDevice(this.#world, device))
    return this.#linked
  }

  /** The next sample has another: what failed may be the device. */
  replace(): void {
    this.#linked = undefined
  }
}

/** What samples name. It is created before they are sent. */
interface Fields {
  number?: string
  id?: string | string[]
  /** As `id`. */
  messageid?: string
  groupjid?: string
  participants?: []
  invitecode?: string
}

/** What is for all instances, so that the next sample finds what it would find alone. */
export async function clearServer({ world }: Stage): Promise<void> {
  await world.admin.post('/v1/webhook', { action: 'delete' })
}

export interface SampleResult {
  response: ApiResponse
  /** What stood for what the sample names: texts of the answer, and of the story. */
  standIns: [told: string, inStory: string][]
}

export async function requestSample(
  stage: Stage,
  { method, path, operation, body }: Sample,
): Promise<SampleResult> {
  const { world } = stage
  const { caller, ids, owner, itself } = await prepareSample(stage, operation)
  // A phone that sends no receipts by itself: a message keeps the status that sending gave it.
  const friend = await createPhone(world, 'Bruno', { autoReceipt: false })
  const fields = (isObject(body) ? body : {}) as Fields
  if (owner) await receiveFrom(world, itself, friend, owner)
  const event = readingEvents.includes(operation.id) ? await waitForEvent(itself) : ''
  await shownBy[operation.id]?.(world, itself, friend, owner)
  // What the sample names by its id is there: a message of our own, in a chat with the number.
  const words = { number: friend, text: 'Your order 7 is on its way.' }
  const file = { ...words, type: 'document', file: 'Zm9yIHRoZSBleGFtcGxl' }
  const sendContent = () =>
    operation.id === 'downloadMessage' ? caller.post('/send/media', file) : caller.post('/send/text', words)
  const sent = (fields.id ?? fields.messageid) && (await sendContent()).body
  const group = fields.groupjid ? await createGroup(world, owner) : ''
  const invite = fields.invitecode ? await inviteBy(world, friend) : ''
  const requestBody = isObject(body) && {
    ...fields,
    ...(fields.number && { number: friend }),
    ...(sent && fields.id && { id: Array.isArray(fields.id) ? [sent.messageid] : sent.messageid }),
    ...(sent && fields.messageid && { messageid: sent.messageid }),
    ...(group && { groupjid: group }),
    ...(fields.participants && { participants: [friend] }),
    ...(fields.invitecode && { invitecode: fields.invitecode.replace(/[\w-]+$/, invite) }),
  }
  const webhook = operation.names === 'webhook' ? await addWebhook(itself) : ''
  const message = usesScheduled(operation) ? await scheduleText(itself, friend) : ''
  const response = await caller.request(
    method,
    path
      .replace('{id}', { ...ids, event, message, webhook }[operation.names ?? 'instance'])
      .replace('{linkId}', ids.link)
      .replace('{tokenId}', ids.scopedToken),
    requestBody || body,
    operation.body?.type ? { 'content-type': operation.body.type } : {},
  )
  const named = [fields.id ?? fields.messageid].flat()[0]
  return {
    response,
    standIns: [
      [friend, story.customer],
      ...(owner ? [[owner, story.shop] as [string, string]] : []),
      ...(sent && named ? [[sent.messageid, named] as [string, string]] : []),
    ],
  }
}

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null

/** The id of the newest one that was delivered. */
const waitForEvent = (caller: Caller): Promise<string> =>
  until(async () => (await caller.get('/v1/events?status=delivered&limit=1')).body.events[0]?.id)

const usesScheduled = ({ names, id }: Entry['operation']): boolean =>
  names === 'message' || id === 'listScheduled'

/** The id of a webhook beside the first. */
async function addWebhook(caller: Caller): Promise<string> {
  const added = { url: 'https://receiver.example.com/further', events: ['connection'] }
  return (await caller.post('/v1/webhooks', added)).body.webhook.id
}

/** The id of a message that waits for its time. */
async function scheduleText(caller: Caller, friend: string): Promise<string> {
  const sendAt = new Date(Date.now() + DAY).toISOString()
  return (await caller.post('/send/text', { number: friend, text: 'Your order 7 arrives today.', sendAt }))
    .body.messageid
}

/** So that lists have something to show. */
async function receiveFrom(world: SharedWorld, caller: Caller, friend: string, owner: string): Promise<void> {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: owner, text: story.received.text })
  await until(async () => (await caller.post('/message/find', { id })).body.messages?.length === 1)
}

async function createGroup(world: SharedWorld, owner: string): Promise<string> {
  const wish = { subject: 'Regulars', owner, participants: [await createPhone(world)] }
  return (await world.sim('POST', '/groups', wish)).jid as string
}

async function inviteBy(world: SharedWorld, owner: string): Promise<string> {
  const { jid } = await world.sim('POST', '/groups', { subject: 'Regulars', owner })
  return (await world.sim('GET', `/groups/${jid}`)).invite as string
}

async function prepareSample(stage: Stage, operation: Entry['operation']) {
  const { world } = stage
  const device = await prepareDevice(stage, operation)
  const host =
    operation.names === 'host' ? (await world.admin.post('/v1/hosts', { region: 'test' })).body.host.id : ''
  const wish = { name: 'Dashboard', scope: 'read' }
  const token = operation.names === 'token' ? (await world.admin.post('/v1/tokens', wish)).body.record.id : ''
  const caller: Caller =
    operation.auth === 'instance'
      ? device.caller
      : operation.auth === 'admin'
        ? world.admin
        : world.callAs('')
  const isOfLinks = operation.namesWithin === 'link' || operation.id === 'listLinks'
  const link = isOfLinks ? (await world.admin.post(`/v1/instances/${device.id}/links`)).body.id : ''
  const isOfScoped = operation.namesWithin === 'scopedToken' || operation.id.startsWith('listScopedTokens')
  const scopedToken = isOfScoped
    ? (await device.caller.post('/instance/tokens', { name: 'Screen', scope: 'read' })).body.id
    : ''
  return {
    caller,
    itself: device.caller,
    ids: { instance: device.id, host, token, link, scopedToken },
    owner: device.number,
  }
}

async function prepareDevice(
  { world, receiver, sharedDevice }: Stage,
  operation: Entry['operation'],
): Promise<LinkedDevice> {
  const actsOnSession = operation.faults?.includes('not_connected') ?? false
  if (sharedDevice && actsOnSession && operation.auth === 'instance' && !withOwnDevice.includes(operation.id))
    return sharedDevice.link()
  const isReadingEvents = readingEvents.includes(operation.id)
  const fresh = await createDevice(world, 'Shop')
  if (isReadingEvents || operation.id === 'testWebhook') await subscribeReceiver(fresh, receiver)
  const needsSession = actsOnSession || isReadingEvents || usesScheduled(operation)
  return needsSession ? linkDevice(world, fresh) : { ...fresh, number: '' }
}
