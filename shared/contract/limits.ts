// The contract's date and phase, and the numbers of its limits (contract, "Limits").

import { HOUR, SECOND } from '../date-time.ts'

export const CONTRACT_VERSION = '2026-09-17'
export const PHASE = 'laboratory'
export const PRODUCT = 'msgnet-gateway/0.1.0'

const KIB = 1024
export const MIB = 1024 * KIB

/** The maximum of `Prefer: wait=N`. */
export const MAX_PREFER_WAIT_SECONDS = 45

/** Times in milliseconds, sizes in bytes unless the name says otherwise. */
export const limits = {
  requestIdLength: 128,
  idempotencyKeyLength: 128,
  initReplaySeconds: 900,
  replaySeconds: (24 * HOUR) / SECOND,
  chatReadMessages: 100,
  numberDigitsMin: 8,
  numberDigitsMax: 15,
  eventListMin: 1,
  eventListDefault: 50,
  eventListMax: 200,
  nameLength: 100,
  groupNameLength: 100,
  profileNameLength: 25,
  groupDescriptionLength: 2048,
  /** Side of the square that a group's picture is scaled to, in pixels. */
  imageSide: 640,
  imageBytes: 8 * MIB,
  imageBodyBytes: 12 * MIB,
  mediaBodyBytes: 12 * MIB,
  mediaBytes: 100 * MIB,
  base64Bytes: 16 * MIB,
  bodyBytes: MIB,
  webhookUrlLength: 2048,
  webhookSecretLength: 256,
  textLength: 65_536,
  sendDelayMs: 60_000,
  connectWaitMs: 5 * SECOND,
  /** `Retry-After` of `worker_full` and `storage_unavailable`, and of the network's own `rate_limited`. */
  busyRetrySeconds: 5,
  limitedRetrySeconds: 30,
  /** Quotas of an instance. */
  webhookTestsPerMinute: 30,
  replaysAtOnce: 1,
  replayEvents: 10_000,
  urlFetchesAtOnce: 4,
  streamsAtOnce: 16,
} as const

/** The presets of what one token may do: times a minute, and MiB of bodies in memory, its own and those of all. 0 is no limit. */
export const tokenLimits = {
  REQUEST_RATE: 12_000,
  STREAM_RATE: 30,
  WEBHOOK_CHANGE_RATE: 30,
  INSTANCE_BODY_MB: 32,
  BODY_MB: 256,
} as const
export type TokenLimit = keyof typeof tokenLimits

/** The default number of messages that an instance may send in a second, and how many seconds' worth at once. */
export const sendRate = { preset: 100, burstSeconds: 2 }
