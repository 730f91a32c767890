// Responses about the service itself (contract, "Capabilities" and "Health").

import * as z from 'zod'
import { Scope } from '../admin-scope.ts'
import { CONTRACT_VERSION, PHASE } from '../contract-version.ts'
import { Kind } from '../instance-requests.ts'
import { publicLimits } from '../public-limits.ts'
import { toolSetNames } from '../tool-sets.ts'
import { dialectNames } from '../webhook-formats.ts'

export const Live = z.object({ status: z.literal('live') })
export type Live = z.infer<typeof Live>

export const Ready = z.object({ status: z.literal('ready') })
export type Ready = z.infer<typeof Ready>

export const NotReady = z.object({
  status: z.literal('not_ready'),
  reason: z.literal('database_unreachable'),
})
export type NotReady = z.infer<typeof NotReady>

const numbers = Object.keys(publicLimits).map((name) => [name, z.number()])

export const Capabilities = z.object({
  status: z.literal(PHASE),
  version: z.literal(CONTRACT_VERSION),
  scope: Scope.describe('What the token of this request allows.'),
  instance_kinds: z.array(Kind).describe('Voice needs `calls` here and in `capabilities`.'),
  tool_sets: z
    .array(z.enum(toolSetNames))
    .describe('The sets of tools at `/mcp` (`MCP_TOOLS`); empty while `tools` is false.'),
  capabilities: z.object({
    messages: z.boolean(),
    media: z.boolean(),
    mediaStored: z
      .boolean()
      .describe('Files of received messages are stored when they arrive, and their records have `fileURL`.'),
    voiceNotes: z
      .boolean()
      .describe(
        'Sounds become voice notes: MP3, AAC, WAV, FLAC, Vorbis and Opus, in their usual containers.',
      ),
    stickers: z.boolean().describe('Pictures become stickers: PNG, JPEG, GIF and WebP.'),
    albums: z.boolean().describe('Pictures and videos are sent as one album.'),
    linkPreviews: z.boolean().describe('Texts are sent with a preview of their first link.'),
    groups: z.boolean(),
    chats: z.boolean(),
    contacts: z.boolean().describe("The phone's address book."),
    labels: z.boolean().describe('The labels of business accounts.'),
    polls: z.boolean().describe('Polls can be sent, and votes are reported.'),
    interactive: z.boolean().describe('Buttons, lists and carousels can be sent.'),
    statusPosts: z.boolean(),
    presence: z.boolean().describe('Who is online or types in subscribed chats.'),
    pins: z.boolean().describe('Messages can be pinned in their chats.'),
    stars: z.boolean(),
    furtherWebhooks: z.boolean().describe('An instance may have several webhooks: `/v1/webhooks`.'),
    scopedTokens: z.boolean().describe('An instance may have further tokens: `/instance/tokens`.'),
    scheduled: z.boolean().describe('Messages can be sent at a time: `sendAt`.'),
    profile: z.boolean().describe("The account's name and picture."),
    privacy: z.boolean().describe('Who sees what of the account, and who is blocked.'),
    identity: z.boolean().describe('Ids are resolved to their other form.'),
    import: z
      .array(z.string())
      .describe('The forms in which the credential of a device can be brought: `/instance/import`.'),
    dialects: z.array(z.enum(dialectNames)).describe('Other forms of the API.'),
    passkeys: z.boolean().describe('Accounts that require a passkey can be linked.'),
    limits: z.boolean().describe('Restrictions of an account by the network are reported and respected.'),
    calls: z.boolean().describe('Voice.'),
    callsOutbound: z.boolean().describe('Placing calls.'),
    webhooks: z.boolean(),
    events: z.boolean(),
    replay: z.boolean().describe('Events can be delivered again on demand.'),
    stream: z.boolean().describe('Events can be read as a stream.'),
    overview: z.boolean().describe('Instances are counted by state, and can be searched.'),
    acting: z.boolean().describe('An admin token of scope `operate` acts for an instance.'),
    links: z.boolean().describe('One-time links open a page on which a phone is linked.'),
    history: z.boolean().describe('The past of a newly linked account can be requested.'),
    coverage: z
      .boolean()
      .describe('The times of which the messages of an instance are here, and the gaps between them.'),
    recover: z.boolean().describe('The phone is asked for messages that could not be decrypted.'),
    tools: z.boolean().describe('Agents find the routes as tools at `/mcp`.'),
    authorization: z.boolean().describe('They get a token by OAuth, which a person allows.'),
  }),
  limits: z
    .object({
      ...(Object.fromEntries(numbers) as Record<keyof typeof publicLimits, z.ZodNumber>),
      sendsPerSecond: z.int().describe('Sends of an instance a second; 0 if they are not limited.'),
      sendsAtOnce: z.int().describe('Sends at once after a pause; 0 if they are not limited.'),
      requestsPerMinute: z
        .int()
        .describe('Requests of one token a minute; 0 if they are not limited, as in the fields below.'),
      streamsPerMinute: z.int().describe('Streams, including exports, that one token opens.'),
      webhookChangesPerMinute: z.int().describe('Changes of a webhook by one token.'),
      pageBytesPerMinute: z.int().describe('Pages of events of one token a minute.'),
      openPageBytesPerMinute: z
        .int()
        .describe('Pages without a token, such as this documentation, of one address a minute.'),
      instanceBodyBytes: z.int().describe('Bodies of one token that are in memory at the same time.'),
      allBodyBytes: z.int().describe('Bodies of all callers that are in memory at the same time.'),
    })
    .describe('Sizes are in bytes; the names of times contain the unit.'),
})
export type Capabilities = z.infer<typeof Capabilities>

/** The paths of the pages and documents of this server. */
export const Greeting = z.object({
  name: z.string(),
  version: z.string(),
  docs: z.string(),
  openapi: z.string(),
  console: z.string(),
  health: z.object({ live: z.string(), ready: z.string() }),
})

export const ApiDocument = z.looseObject({ openapi: z.string() })
