// Reads the settings from the environment once, at the start; a wrong value is reported in one sentence.

import {
  CANARY_EXPECTED,
  CANARY_INTERVAL_SECONDS,
  isCanarySetting,
  parseCanaryPair,
} from '@msgnet/shared/canary-setting.ts'
import { MIB, sendRate, toSendBurst } from '@msgnet/shared/contract/limits.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import {
  defaultDevice,
  deviceName,
  FOLLOWED_VERSION,
  networkVersion,
  type Platform,
  platforms,
} from '@msgnet/shared/device-settings.ts'
import {
  type BucketAddress,
  isMediaStoreUrl,
  MEDIA_STORE_EXPECTED,
  mediaLimits,
  parseMediaStoreUrl,
} from '@msgnet/shared/media-settings.ts'
import {
  isNetworkLogSetting,
  NETWORK_LOG_EXPECTED,
  parseLoggedInstances,
} from '@msgnet/shared/network-log-lines.ts'
import { readCertificate } from '@msgnet/shared/node/certificate-setting.ts'
import { wholeNumber } from '@msgnet/shared/node/number-setting.ts'
import { programPath } from '@msgnet/shared/node/program-path.ts'
import { isClearText } from '@msgnet/shared/plain-http.ts'
import type { Rate } from '@msgnet/shared/rate-limiter.ts'
import { retentionDays } from '@msgnet/shared/retention-periods.ts'
import { isSealKeys, SEAL_KEYS_EXPECTED } from '@msgnet/shared/seal-keys.ts'
import * as z from 'zod'
import { type DmAddressing, dmAddressings } from './driver/dm-addressing.ts'
import { type CrashPoint, crashPoints } from './process/crash-points.ts'

const LIVE_NETWORK = 'wss://web.whatsapp.com/ws/chat'
const SIMULATED_NETWORK = 'ws://127.0.0.1:8799/ws/chat'

const createPresetSchema = ({ min, max, preset }: { min: number; max: number; preset: number }) =>
  wholeNumber(min, max).default(preset)
const createUrlSchema = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL that starts with ${protocols.join('// or ')}//`,
  })

function parseCertificate(value: string, context: z.RefinementCtx): string {
  const read = readCertificate(value)
  if ('pem' in read) return read.pem
  context.addIssue(read.fault)
  return z.NEVER
}

const Environment = z.object({
  EDGE_URL: createUrlSchema('http:', 'https:'),
  HOST_TOKEN: z.string().regex(/^mgh_[\w-]{43}$/, 'must be a host token (mgh_ and 43 characters)'),
  DATA_DIR: z.string().min(1).default('.data'),
  NETWORK: z.enum(['simulator', 'live']).default('simulator'),
  NETWORK_URL: createUrlSchema('ws:', 'wss:').optional(),
  NETWORK_ROOT_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .optional(),
  NETWORK_VERSION: z.string().regex(networkVersion.pattern, networkVersion.expected).optional(),
  DEVICE_NAME: z.string().regex(deviceName.pattern, deviceName.expected).default(defaultDevice.name),
  DEVICE_PLATFORM: z.enum(platforms).default(defaultDevice.platform),
  NETWORK_MEDIA_CA: z.string().transform(parseCertificate).optional(),
  FFMPEG: programPath.optional(),
  DM_ADDRESSING: z.enum(dmAddressings).default('auto'),
  HOST_SLOTS: wholeNumber(1, 100_000).default(200),
  SESSION_STORE_URL: createUrlSchema('libsql:', 'http:', 'https:').optional(),
  SESSION_STORE_TOKEN: z.string().default(''),
  HOST_SEAL_KEYS: z.string().refine(isSealKeys, SEAL_KEYS_EXPECTED),
  ACTION_TIMEOUT_MS: wholeNumber(1000, 600_000).default(45_000),
  KEEP_MESSAGES_DAYS: wholeNumber(retentionDays.messages.min, retentionDays.messages.max).default(
    retentionDays.messages.preset,
  ),
  DISAPPEARED: z.enum(['delete', 'keep']).default('delete'),
  MEDIA: z.enum(['off', 'keep']).default('off'),
  MEDIA_STORE_URL: z.string().refine(isMediaStoreUrl, MEDIA_STORE_EXPECTED).optional(),
  KEEP_MEDIA_DAYS: createPresetSchema(mediaLimits.retentionDays),
  MEDIA_MAX_MB: createPresetSchema(mediaLimits.maxFileMb),
  MEDIA_TOTAL_GB: createPresetSchema(mediaLimits.totalGb),
  MEDIA_STRANGERS_MB: createPresetSchema(mediaLimits.strangersMb),
  DOWNLOAD_MB: createPresetSchema(mediaLimits.downloadMb),
  SEND_RATE: wholeNumber(0, 100_000).optional(),
  SEND_BURST: wholeNumber(0, 200_000).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  CANARY: z.string().refine(isCanarySetting, CANARY_EXPECTED).optional(),
  CANARY_SECONDS: wholeNumber(CANARY_INTERVAL_SECONDS.min, CANARY_INTERVAL_SECONDS.max).default(
    CANARY_INTERVAL_SECONDS.preset,
  ),
  NETWORK_LOG: z.string().refine(isNetworkLogSetting, NETWORK_LOG_EXPECTED).default('off'),
  LOCAL_PROXIES: z.enum(['on', 'off']).optional(),
  INSECURE: z.enum(['on', 'off']).default('off'),
  METRICS_PORT: wholeNumber(0, 65_535).default(9464),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  CRASH_AT: z.enum(crashPoints).optional(),
})

export interface Config {
  /** The URL that the link dials, ws or wss. */
  linkUrl: string
  hostToken: string
  dataDir: string
  /** A libSQL server that stores the sessions in place of a file in `dataDir`. */
  sharedStore?: { url: string; token: string }
  /** `mediaCa`: PEM, in place of the public authorities. */
  network: {
    url: string
    rootKey?: Buffer<ArrayBuffer>
    mediaCa?: string
    version?: [number, number, number] | 'auto'
  }
  device?: { name: string; platform: Platform }
  /** The instances whose frames are logged; undefined for none. */
  networkLog?: 'on' | string[]
  /** Two instances that write to each other. */
  canary?: { instances: readonly [string, string]; everyMs: number }
  /** The path of the machine's ffmpeg. */
  ffmpeg?: string
  dmAddressing: DmAddressing
  /** Proxies may be on this machine or in its network. */
  localProxies: boolean
  slots: number
  sealKeys: string
  actionTimeoutMs: number
  logLevel: string
  /** Days for which messages are stored. */
  messageRetentionDays: number
  /** Messages that have disappeared from their chats are stored all the same. */
  keepExpired?: boolean
  media: MediaConfig
  /** Of an instance, by its callers; 0 for no limit. */
  downloadBytesPerMinute: number
  /** How fast an instance sends the scheduled messages that are due; undefined for no limit. */
  sendRate?: Rate
  metricsPort: number
  address: string
  crashAt?: CrashPoint
}

export interface MediaConfig {
  /** Files of received messages are fetched and kept. If not, those of earlier starts stay until they expire. */
  isOn: boolean
  /** In place of the folder of the host. */
  bucket?: BucketAddress
  retentionDays: number
  maxFileBytes: number
  totalBytes: number
  /** Of an instance, from senders that its account does not know; 0 for no limit. */
  strangersBytesPerHour: number
  /** While the disk has no more than this, nothing is fetched. */
  minFreeBytes: number
}

/** The URL of the edge for plain HTTP requests. */
export const getEdgeUrl = ({ linkUrl }: Config): string =>
  linkUrl.replace(/^ws/, 'http').replace(/\/hosts\/v1\/link$/, '')

function readVersion(text: string): NonNullable<Config['network']['version']> {
  if (text === FOLLOWED_VERSION) return text
  const [primary = 0, secondary = 0, tertiary = 0] = text.split('.').map(Number)
  return [primary, secondary, tertiary]
}

export class ConfigError extends Error {}

/** Throws ConfigError with a sentence for the operator. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  // An empty variable is how shells and compose files say "not set".
  const values = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(values, issueMessages)
  if (!parsed.success) {
    const name = parsed.error.issues[0]?.path.join('.') ?? 'environment'
    throw new ConfigError(
      values[name] === undefined ? `${name} is not set.` : describeFirstIssue(parsed.error),
    )
  }
  const env = parsed.data
  if (env.NETWORK === 'simulator' && !env.NETWORK_ROOT_KEY) {
    throw new ConfigError('NETWORK_ROOT_KEY is not set: a simulated network signs with a key of its own.')
  }
  for (const name of ['EDGE_URL', 'SESSION_STORE_URL'] as const) {
    const url = env[name]
    if (env.INSECURE === 'off' && url && isClearText(url))
      throw new ConfigError(`${name} must be https or libsql for another machine, unless INSECURE=on.`)
  }
  const bucket = env.MEDIA_STORE_URL === undefined ? undefined : parseMediaStoreUrl(env.MEDIA_STORE_URL)
  if (env.INSECURE === 'off' && bucket && isClearText(bucket.url))
    throw new ConfigError('MEDIA_STORE_URL must be s3: for another machine, unless INSECURE=on.')
  if (env.CRASH_AT && env.NETWORK !== 'simulator') {
    throw new ConfigError('CRASH_AT is for tests on a simulated network only.')
  }
  return {
    linkUrl: `${env.EDGE_URL.replace(/^http/, 'ws').replace(/\/$/, '')}/hosts/v1/link`,
    hostToken: env.HOST_TOKEN,
    dataDir: env.DATA_DIR,
    ...(env.SESSION_STORE_URL && {
      sharedStore: { url: env.SESSION_STORE_URL, token: env.SESSION_STORE_TOKEN },
    }),
    network: {
      url: env.NETWORK_URL ?? (env.NETWORK === 'live' ? LIVE_NETWORK : SIMULATED_NETWORK),
      ...(env.NETWORK_MEDIA_CA !== undefined && { mediaCa: env.NETWORK_MEDIA_CA }),
      ...(env.NETWORK_ROOT_KEY && { rootKey: Buffer.from(env.NETWORK_ROOT_KEY, 'hex') }),
      ...(env.NETWORK_VERSION && { version: readVersion(env.NETWORK_VERSION) }),
    },
    device: { name: env.DEVICE_NAME, platform: env.DEVICE_PLATFORM },
    ...(env.CANARY && {
      canary: { instances: parseCanaryPair(env.CANARY), everyMs: env.CANARY_SECONDS * SECOND },
    }),
    ...(env.NETWORK_LOG !== 'off' && { networkLog: parseLoggedInstances(env.NETWORK_LOG) }),
    ...(env.FFMPEG && { ffmpeg: env.FFMPEG }),
    dmAddressing: env.DM_ADDRESSING,
    localProxies: (env.LOCAL_PROXIES ?? (env.NETWORK === 'simulator' ? 'on' : 'off')) === 'on',
    slots: env.HOST_SLOTS,
    sealKeys: env.HOST_SEAL_KEYS,
    actionTimeoutMs: env.ACTION_TIMEOUT_MS,
    logLevel: env.LOG_LEVEL,
    messageRetentionDays: env.KEEP_MESSAGES_DAYS,
    keepExpired: env.DISAPPEARED === 'keep',
    media: buildMediaConfig(env, bucket),
    downloadBytesPerMinute: env.DOWNLOAD_MB * MIB,
    ...buildSendRate(env),
    metricsPort: env.METRICS_PORT,
    address: env.METRICS_HOST,
    ...(env.CRASH_AT && { crashAt: env.CRASH_AT }),
  }
}

/** As the edge's own preset: on the live network fast sends are a risk for the account. */
function buildSendRate({ NETWORK, SEND_RATE, SEND_BURST }: z.infer<typeof Environment>) {
  const isLivePreset = NETWORK === 'live' && SEND_RATE === undefined
  const perSecond = SEND_RATE ?? (isLivePreset ? sendRate.livePreset : sendRate.preset)
  // 0 where the rate is 0, or by mistake.
  const burst = SEND_BURST || (isLivePreset ? sendRate.liveBurst : toSendBurst(perSecond))
  return perSecond > 0 ? { sendRate: { burst, everyMs: SECOND / perSecond } } : {}
}

const buildMediaConfig = (
  env: z.infer<typeof Environment>,
  bucket: BucketAddress | undefined,
): MediaConfig => ({
  isOn: env.MEDIA === 'keep',
  ...(bucket && { bucket }),
  retentionDays: env.KEEP_MEDIA_DAYS,
  maxFileBytes: env.MEDIA_MAX_MB * MIB,
  totalBytes: env.MEDIA_TOTAL_GB * 1024 * MIB,
  strangersBytesPerHour: env.MEDIA_STRANGERS_MB * MIB,
  minFreeBytes: 256 * MIB,
})
