// The values of keys that another program has stored, by kind: each field that the library reads is checked, and no value becomes another one.

import type { ImportKind } from '@msgnet/shared/contract/import-lines.ts'
import { issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { proto } from 'baileys'
import * as z from 'zod'
import { encodeKey } from './auth-state.ts'
import {
  Bytes,
  bytesOfLength,
  Counter,
  createEncodedBytes,
  isBase64,
  Long,
  MatchingPair,
  PublicKey,
  reviveBytes,
  UnreadableValue,
} from './imported-bytes.ts'

const KEY_BYTES = 32
const MAC_BYTES = 32
/** Of the settings of an account, in one number for all. */
const SETTINGS_HASH_BYTES = 128

const Digits = z.string().regex(/^\d{1,30}$/, 'must be digits')
/** Of a key that is not ours there is none. */
const NoBytes = Bytes.refine(({ length }) => length === 0)

const SenderKeyStates = z.array(
  z.looseObject({
    senderKeyId: Counter,
    senderChainKey: z.object({ iteration: Counter, seed: bytesOfLength(KEY_BYTES) }),
    senderSigningKey: z.object({
      public: PublicKey,
      private: z
        .union([bytesOfLength(KEY_BYTES), NoBytes], { error: `must have ${KEY_BYTES} bytes or none` })
        .nullish(),
    }),
    senderMessageKeys: z.array(z.object({ iteration: Counter, seed: bytesOfLength(KEY_BYTES) })).nullish(),
  }),
)

const AppStateKey = z.object({
  keyData: createEncodedBytes(KEY_BYTES),
  fingerprint: z
    .object({
      rawId: Counter.nullish(),
      currentIndex: Counter.nullish(),
      deviceIndexes: z.array(Counter).nullish(),
    })
    .nullish(),
  timestamp: Long.nullish(),
})
const AppStateVersion = z.object({
  version: z.int().nonnegative(),
  hash: bytesOfLength(SETTINGS_HASH_BYTES),
  indexValueMap: z.record(
    z.string().refine((name) => isBase64(name, MAC_BYTES), `must be ${MAC_BYTES} bytes in base64`),
    z.object({ valueMac: bytesOfLength(MAC_BYTES) }),
  ),
})
const Seconds = z.union([z.int().nonnegative(), Digits], { error: 'must be a time in seconds' })
const Token = z.looseObject({
  token: Bytes.optional(),
  timestamp: Seconds.optional(),
  senderTimestamp: z.int().nonnegative().optional(),
})

type Read = (value: unknown) => unknown

const readShape =
  (shape: z.ZodType): Read =>
  (value) =>
    shape.parse(value, issueMessages)

/** How each kind of key is stored; throws for a value that it cannot have. */
const kinds: Record<Exclude<ImportKind, 'session'>, Read> = {
  'pre-key': readShape(MatchingPair),
  'sender-key': readSenderKey,
  'sender-key-memory': readShape(z.record(z.string(), z.boolean())),
  'app-state-sync-key': (value) =>
    proto.Message.AppStateSyncKeyData.fromObject(AppStateKey.parse(value, issueMessages)),
  'app-state-sync-version': readShape(AppStateVersion),
  'lid-mapping': readShape(Digits),
  'device-list': readShape(z.array(z.string().regex(/^\d{1,5}$/, 'must be the number of a device'))),
  tctoken: readShape(Token),
  'identity-key': readShape(PublicKey),
}

/** Throws UnreadableValue or ZodError. */
export const readValue = (kind: Exclude<ImportKind, 'session'>, value: unknown): unknown =>
  kinds[kind](reviveBytes(value))

/** Older lines have written the states themselves, or their JSON, in place of their bytes. */
function readSenderKey(value: unknown): Uint8Array {
  const states = typeof value === 'string' || value instanceof Uint8Array ? parseStates(value) : value
  return encodeKey(SenderKeyStates.parse(states, issueMessages).map(clearNoKey))
}

function parseStates(written: string | Uint8Array): unknown {
  let states: unknown
  try {
    states = JSON.parse(Buffer.from(written).toString())
  } catch {
    throw new UnreadableValue('is no record of a sender key')
  }
  return reviveBytes(states)
}

/** The library takes bytes only. */
const clearNoKey = ({ senderSigningKey, ...state }: z.infer<typeof SenderKeyStates>[number]) => ({
  ...state,
  senderSigningKey: {
    ...senderSigningKey,
    private: senderSigningKey.private instanceof Uint8Array ? senderSigningKey.private : new Uint8Array(),
  },
})
