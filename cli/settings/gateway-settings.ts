// Reads the environment of the all-in-one start once; a wrong value stops it with one sentence. docs/run/environment.md lists the same variables.

import { resolve } from 'node:path'
import { CANARY_EXPECTED, CANARY_INTERVAL_SECONDS, isCanarySetting } from '@msgnet/shared/canary-setting.ts'
import { slotRange } from '@msgnet/shared/contract/host-requests.ts'
import { sendRate, type TokenLimit, tokenLimits, toSendBurst } from '@msgnet/shared/contract/limits.ts'
import { parseTemplates, TEMPLATES_EXPECTED } from '@msgnet/shared/contract/stored-templates.ts'
import { DEFAULT_TOOL_SETS, isToolSet, toolSets } from '@msgnet/shared/contract/tool-sets.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import {
  describeUnknownDialect,
  findUnknownDialect,
  listWords,
} from '@msgnet/shared/contract/webhook-formats.ts'
import { eventNames, WebhookSave } from '@msgnet/shared/contract/webhook-requests.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { defaultDevice, deviceName, networkVersion, platforms } from '@msgnet/shared/device-settings.ts'
import {
  isMediaStoreUrl,
  MEDIA_STORE_EXPECTED,
  mediaLimits,
  parseMediaStoreUrl,
} from '@msgnet/shared/media-settings.ts'
import { isNetworkLogSetting, NETWORK_LOG_EXPECTED } from '@msgnet/shared/network-log-lines.ts'
import { readCertificate } from '@msgnet/shared/node/certificate-setting.ts'
import { refuseLab } from '@msgnet/shared/node/laboratory-time.ts'
import { wholeNumber } from '@msgnet/shared/node/number-setting.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { programPath } from '@msgnet/shared/node/program-path.ts'
import { isClearText } from '@msgnet/shared/plain-http.ts'
import { retentionDays } from '@msgnet/shared/retention-periods.ts'
import { isSealKeys, SEAL_KEYS_EXPECTED } from '@msgnet/shared/seal-keys.ts'
import * as z from 'zod'
import { DEFAULT_PORT, findDataDir } from './second-gateway.ts'

const portNumber = (preset: number) => wholeNumber(0, 65_535).default(preset)
const numberBetween = ({ min, max, preset }: Record<'min' | 'max' | 'preset', number>) =>
  wholeNumber(min, max).default(preset)
const rateLimit = (name: TokenLimit) => wholeNumber(0, 10_000_000).default(tokenLimits[name])
const onOff = (preset: 'on' | 'off') => z.enum(['on', 'off']).default(preset)

/** An origin as browsers write it: scheme, host, and the port unless it is the default. */
const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text

/** The address of the demo's webhook receiver, allowed by default while the network is simulated. */
const DEMO_RECEIVER = '127.0.0.1:8788'

const ADMIN_TOKEN_CHARACTERS = 32
/** A value that a header can hold. Two such headers arrive as one with a comma, so a comma must not be valid. */
const IN_A_HEADER = /^(?! )[\x20-\x2b\x2d-\x7e]+(?<! )$/

/** `host:port`, as the check of webhook destinations reads it. */
function isHostAndPort(entry: string): boolean {
  const [, host = '', portNumber = '0'] = /^([^/?#@\s]+):(\d{1,5})$/.exec(entry.trim()) ?? []
  return Number(portNumber) > 0 && Number(portNumber) <= 65_535 && URL.canParse(`http://${host}`)
}

function validateCertificate(value: string, context: z.RefinementCtx): void {
  const read = readCertificate(value)
  if ('fault' in read) context.addIssue(read.fault)
}

const Environment = z.object({
  PORT: portNumber(DEFAULT_PORT),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().optional(),
  ADMIN_TOKEN: z
    .string()
    .min(16)
    .regex(IN_A_HEADER, 'must be ASCII without commas, and with no space around it')
    .optional(),
  INSECURE: onOff('off'),
  NETWORK: z.enum(['simulator', 'live']).default('simulator'),
  NETWORK_URL: z.url({ protocol: /^wss?$/, error: 'must be a ws or wss URL' }).optional(),
  NETWORK_ROOT_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits')
    .optional(),
  NETWORK_MEDIA_CA: z.string().superRefine(validateCertificate).optional(),
  NETWORK_VERSION: z.string().regex(networkVersion.pattern, networkVersion.expected).optional(),
  DEVICE_NAME: z.string().regex(deviceName.pattern, deviceName.expected).default(defaultDevice.name),
  DEVICE_PLATFORM: z.enum(platforms).default(defaultDevice.platform),
  SIMULATOR_PORT: portNumber(8799),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: portNumber(9464),
  EDGE_METRICS_HOST: z.string().default('127.0.0.1'),
  EDGE_METRICS_PORT: portNumber(9465),
  EDGE_ENGINE: z.enum(['node', 'miniflare', 'miniflare-evicting']).default('node'),
  DATABASE_URL: z
    .url({ protocol: /^(libsql|https?)$/, error: 'must be a libsql, http or https URL' })
    .optional(),
  DATABASE_TOKEN: z.string().optional(),
  WEBHOOK_ALLOWLIST: z
    .string()
    .refine(
      (list) => list.split(',').every((entry) => entry.trim() === '' || isHostAndPort(entry)),
      'must be addresses such as 127.0.0.1:8788, separated by commas',
    )
    .optional(),
  WEBHOOKS: onOff('on'),
  GLOBAL_WEBHOOK_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  GLOBAL_WEBHOOK_EVENTS: WebhookSave.shape.events
    .refine(
      (names) => names.every((name) => name === 'all' || eventNames.includes(name)),
      'must be names of events',
    )
    .transform(String)
    .default('all'),
  GLOBAL_WEBHOOK_SECRET: WebhookSave.shape.secret.default(''),
  CALLS: onOff('off'),
  INTERACTIVE: onOff('off'),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .refine(
      (origins) => origins.every(isOrigin) || origins.join() === '*',
      'must be * or origins such as https://app.example, separated by commas',
    )
    .transform(String)
    .default(''),
  PUBLIC_URL: z
    .string()
    .transform((url) => url.replace(/\/$/, ''))
    .refine(isOrigin, 'must be an http or https origin without a path, such as https://gateway.example')
    .default(''),
  MCP: z.enum(['off', 'read', 'write']).default('off'),
  MCP_TOOLS: z
    .string()
    .transform((list) => list.split(',').map((word) => word.trim()))
    .refine(
      (words) => words.every(isToolSet),
      `must be some of ${Object.keys(toolSets).join(', ')}, separated by commas`,
    )
    .transform(String)
    .default(DEFAULT_TOOL_SETS),
  COMPATIBILITY: z.enum(['off', 'tolerant', 'uazapi']).default('off'),
  DIALECTS: z
    .string()
    .transform(listWords)
    .refine((names) => findUnknownDialect(names) === undefined, {
      error: ({ input }) => describeUnknownDialect(input as string[]),
    })
    .transform(String)
    .default(''),
  CLOUD_TEMPLATES: z
    .string()
    .refine((setting) => parseTemplates(setting) !== undefined, TEMPLATES_EXPECTED)
    .default(''),
  LOCAL_PROXIES: z.enum(['on', 'off']).optional(),
  CANARY: z.string().refine(isCanarySetting, CANARY_EXPECTED).optional(),
  CANARY_SECONDS: numberBetween(CANARY_INTERVAL_SECONDS),
  NETWORK_LOG: z.string().refine(isNetworkLogSetting, NETWORK_LOG_EXPECTED).default('off'),
  FFMPEG: programPath.optional(),
  DM_ADDRESSING: z.enum(['auto', 'lid', 'pn']).default('auto'),
  HOST_SLOTS: numberBetween(slotRange),
  SEAL_KEYS: z.string().refine(isSealKeys, SEAL_KEYS_EXPECTED).optional(),
  HOST_SEAL_KEYS: z.string().refine(isSealKeys, SEAL_KEYS_EXPECTED).optional(),
  ACTION_TIMEOUT_MS: wholeNumber(1000, 600_000).default(45_000),
  LEASE_MS: wholeNumber(3000, 600_000).default(30_000),
  SESSION_STORE_URL: z
    .url({ protocol: /^(libsql|https?)$/, error: 'must be a libsql, http or https URL' })
    .optional(),
  SESSION_STORE_TOKEN: z.string().default(''),
  REQUEST_RATE: rateLimit('REQUEST_RATE'),
  STREAM_RATE: rateLimit('STREAM_RATE'),
  WEBHOOK_CHANGE_RATE: rateLimit('WEBHOOK_CHANGE_RATE'),
  PAGE_MB: rateLimit('PAGE_MB'),
  OPEN_PAGE_MB: rateLimit('OPEN_PAGE_MB'),
  INSTANCE_BODY_MB: rateLimit('INSTANCE_BODY_MB'),
  BODY_MB: rateLimit('BODY_MB'),
  SEND_RATE: wholeNumber(0, 100_000).optional(),
  SEND_BURST: wholeNumber(1, 200_000).optional(),
  KEEP_EVENTS_DAYS: numberBetween(retentionDays.events),
  KEEP_MESSAGES_DAYS: numberBetween(retentionDays.messages),
  KEEP_AUDIT_DAYS: numberBetween(retentionDays.audit),
  DISAPPEARED: z.enum(['delete', 'keep']).default('delete'),
  MEDIA: z.enum(['off', 'keep']).default('off'),
  MEDIA_STORE_URL: z.string().refine(isMediaStoreUrl, MEDIA_STORE_EXPECTED).optional(),
  KEEP_MEDIA_DAYS: numberBetween(mediaLimits.retentionDays),
  MEDIA_MAX_MB: numberBetween(mediaLimits.maxFileMb),
  MEDIA_TOTAL_GB: numberBetween(mediaLimits.totalGb),
  MEDIA_STRANGERS_MB: numberBetween(mediaLimits.strangersMb),
  DOWNLOAD_MB: numberBetween(mediaLimits.downloadMb),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the name of a header')
    .default(''),
  LABORATORY: onOff('off'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  LOG_KEEP_MB: wholeNumber(5, 1_000_000).default(200),
})

export type Settings = ReturnType<typeof readSettings>

/** Throws an OperatorError that names the variable. An empty variable counts as unset. */
export function readSettings(env: NodeJS.ProcessEnv) {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = Environment.safeParse(variables, issueMessages)
  if (!read.success) throw new OperatorError(describeFirstIssue(read.error))
  const { WEBHOOK_ALLOWLIST, DATA_DIR, ...rest } = read.data
  const allowlist = WEBHOOK_ALLOWLIST ?? (rest.NETWORK === 'simulator' ? DEMO_RECEIVER : '')
  if (rest.INSECURE === 'off') refuseInsecure(rest)
  refuseLab(rest.NETWORK_URL ? 'live' : rest.NETWORK)
  refuseWrongWebhook(rest.GLOBAL_WEBHOOK_URL, allowlist)
  const isLivePreset = rest.NETWORK === 'live' && rest.SEND_RATE === undefined
  const SEND_RATE = rest.SEND_RATE ?? (isLivePreset ? sendRate.livePreset : sendRate.preset)
  const SEND_BURST = rest.SEND_BURST ?? (isLivePreset ? sendRate.liveBurst : toSendBurst(SEND_RATE))
  const LOCAL_PROXIES = rest.LOCAL_PROXIES ?? (rest.NETWORK === 'simulator' ? 'on' : 'off')
  return {
    ...rest,
    DATA_DIR: resolve(DATA_DIR ?? findDataDir(rest.PORT)),
    WEBHOOK_ALLOWLIST: allowlist,
    LOCAL_PROXIES,
    SEND_RATE,
    SEND_BURST,
    /** Names of the variables that have a value of the operator's own. */
    explicit: new Set(Object.keys(variables)) as ReadonlySet<string>,
  }
}

type InsecureSettings = Pick<
  z.infer<typeof Environment>,
  'ADMIN_TOKEN' | 'DATABASE_URL' | 'SESSION_STORE_URL' | 'MEDIA_STORE_URL'
>

/** Checks for settings that need INSECURE=on, which is for test set-ups. */
function refuseInsecure({ ADMIN_TOKEN, MEDIA_STORE_URL = '', ...urls }: InsecureSettings): void {
  if (ADMIN_TOKEN && ADMIN_TOKEN.length < ADMIN_TOKEN_CHARACTERS)
    throw new OperatorError(
      `ADMIN_TOKEN must have at least ${ADMIN_TOKEN_CHARACTERS} characters, unless INSECURE=on.`,
    )
  const bucket = parseMediaStoreUrl(MEDIA_STORE_URL)
  if (bucket && isClearText(bucket.url))
    throw new OperatorError('MEDIA_STORE_URL must be s3: for another machine, unless INSECURE=on.')
  for (const name of ['DATABASE_URL', 'SESSION_STORE_URL'] as const) {
    if (urls[name] && isClearText(urls[name]))
      throw new OperatorError(`${name} must be https or libsql for another machine, unless INSECURE=on.`)
  }
}

/** By the rules of the API. */
function refuseWrongWebhook(url: string | undefined, allowlist: string): void {
  const result = url === undefined ? undefined : checkDestination(url, allowlist)
  if (result && !result.allowed) throw new OperatorError(`GLOBAL_WEBHOOK_URL ${result.why}.`)
}
