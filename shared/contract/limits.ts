// The limits of the API (contract, "Limits"), and the presets of those that the operator sets.

import { HOUR, SECOND } from '../date-time.ts'

export const MIB = 1024 * 1024

/** The maximum of `Prefer: wait=N`. */
export const MAX_PREFER_WAIT_SECONDS = 45

/** Times in milliseconds, sizes in bytes unless the name says otherwise. */
export const limits = {
  maxRequestIdLength: 128,
  maxIdempotencyKeyLength: 128,
  /** How long a response is stored under its Idempotency-Key: of `/instance/init`, and of any other route. */
  initRetentionSeconds: 900,
  retentionSeconds: (24 * HOUR) / SECOND,
  maxMarkedMessages: 100,
  maxRequestedHistory: 50,
  minNumberDigits: 8,
  maxNumberDigits: 15,
  minListedEvents: 1,
  defaultListedEvents: 50,
  maxListedEvents: 200,
  /** Of one answer with events: a larger one would hold up other requests while it is parsed and written. One event is always in it. */
  maxPageBytes: 256 * 1024,
  defaultListedInstances: 50,
  maxListedInstances: 200,
  maxSearchLength: 100,
  maxNameLength: 100,
  maxGroupNameLength: 100,
  maxProfileNameLength: 25,
  maxAboutLength: 139,
  maxGroupDescriptionLength: 2048,
  /** Side of the square that a group's picture is scaled to, in pixels. */
  maxImageSide: 640,
  maxImageBytes: 8 * MIB,
  maxImageBodyBytes: 12 * MIB,
  maxMediaBodyBytes: 12 * MIB,
  maxMediaBytes: 100 * MIB,
  /** Of a file that is uploaded before it is sent, and of all of an instance, of which the oldest are deleted beyond that. */
  maxUploadBytes: 16 * MIB,
  maxUploadedBytes: 128 * MIB,
  maxUploadedFiles: 1000,
  maxBase64Bytes: 16 * MIB,
  /** Of all pictures of one message, which are in memory until its host has them. */
  maxMenuPictureBytes: 16 * MIB,
  maxAlbumFiles: 10,
  maxBodyBytes: MIB,
  /** Of a credential that is imported, as a body; of one of its lines; and its rows. */
  maxImportBytes: 64 * MIB,
  maxImportLineBytes: 4 * MIB,
  maxImportRows: 200_000,
  maxWebhookUrlLength: 2048,
  maxWebhookSecretLength: 256,
  /** Of an instance, with its first. */
  maxWebhooks: 5,
  maxWebhookChats: 100,
  maxScopedTokens: 100,
  maxWebhookHeaders: 10,
  maxWebhookHeaderLength: 1024,
  maxTextLength: 65_536,
  maxSendDelayMs: 60_000,
  maxConnectWaitMs: 5 * SECOND,
  /** `Retry-After` of `worker_full` and `storage_unavailable`, and of the network's own `rate_limited`. */
  busyRetrySeconds: 5,
  limitedRetrySeconds: 30,
  /** Quotas of an instance. */
  maxWebhookTestsPerMinute: 30,
  maxConcurrentReplays: 1,
  /** Events that one replay queues. */
  maxReplayedEvents: 10_000,
  maxConcurrentUrlFetches: 4,
  maxConcurrentStreams: 16,
  maxPresenceChats: 500,
  /** Usernames that one request looks up: the network is asked for each. */
  maxCheckedUsernames: 10,
  /** Messages of an instance that wait for their time. */
  maxScheduled: 10_000,
  maxScheduleDays: 30,
  defaultListedScheduled: 50,
  maxListedScheduled: 200,
  maxMessageWaitSeconds: 55,
} as const

/**
 * The presets of what one token may do: times a minute, MiB of pages a minute (`OPEN_PAGE_MB`: of one address, of pages that need no
 * token), and MiB of bodies in memory, its own and those of all. 0 is no limit.
 */
export const tokenLimits = {
  REQUEST_RATE: 12_000,
  STREAM_RATE: 30,
  WEBHOOK_CHANGE_RATE: 30,
  PAGE_MB: 120,
  OPEN_PAGE_MB: 60,
  INSTANCE_BODY_MB: 32,
  BODY_MB: 256,
} as const
export type TokenLimit = keyof typeof tokenLimits

/** The default number of messages that an instance may send in a second; on the live network more are a risk for the account. */
export const sendRate = { preset: 100, livePreset: 1, liveBurst: 5 }

/** How many messages an instance may send at once after a pause, unless that is set too. */
export const toSendBurst = (perSecond: number): number => 2 * perSecond
