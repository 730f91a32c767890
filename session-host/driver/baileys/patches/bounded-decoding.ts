// Patch: foreign bytes are decoded up to a number of values, a depth and a length of text.

import { proto } from 'baileys'
import {
  ACCOUNT_LIMITS,
  BoundedReader,
  isReader,
  LimitExceeded,
  MESSAGE_LIMITS,
  PART_LIMITS,
  type ReadLimits,
} from '../messages/bounded-reader.ts'
import { placeholder } from '../messages/oversized.ts'
import { fromBaileys, type Patch } from './patch.ts'

type Decode = (input: never, ...rest: unknown[]) => object
interface Decoder {
  decode: unknown
}
interface Replaced {
  type: Decoder
  decode: Decode
}

/** Each circle of types that contain one another passes through one of these. */
const RECURSIVE: Decoder[] = [
  proto.Message,
  proto.Message.InteractiveMessage,
  proto.Message.HighlyStructuredMessage,
  proto.ContextInfo.DataSharingContext.Parameters,
]
const ciphertexts = fromBaileys('libsignal/src/protobufs.js') as Record<string, Decoder>
const FROM_STRANGERS: Decoder[] = [
  ...Object.values(ciphertexts),
  proto.Message.PollVoteMessage,
  proto.SenderKeyDistributionMessage,
  proto.SenderKeyMessage,
  proto.VerifiedNameCertificate,
  proto.VerifiedNameCertificate.Details,
]
const FROM_OWN_DEVICES: Decoder[] = [
  proto.HistorySync,
  proto.LIDMigrationMappingSyncPayload,
  proto.SyncActionData,
  proto.SyncdMutations,
  proto.SyncdPatch,
  proto.SyncdSnapshot,
  proto.WebMessageInfo,
]

const toReplaced = (type: Decoder): Replaced => ({ type, decode: type.decode as Decode })
const recursive = RECURSIVE.map(toReplaced)
const bounded = [
  ...FROM_STRANGERS.map((type) => ({ ...toReplaced(type), limits: PART_LIMITS })),
  ...FROM_OWN_DEVICES.map((type) => ({ ...toReplaced(type), limits: ACCOUNT_LIMITS })),
]

/** Readers are passed from type to type; a decoding begins with bytes. */
const countDepth =
  (decode: Decode): Decode =>
  (input, ...rest) =>
    (input as unknown) instanceof BoundedReader
      ? (input as BoundedReader).decodeNested(() => decode(input, ...rest))
      : decode(input, ...rest)

const limitDecoding =
  (decode: Decode, limits: ReadLimits): Decode =>
  (input, ...rest) =>
    decode((isReader(input) ? input : new BoundedReader(input, limits)) as never, ...rest)

function limitDecoders(): void {
  for (const { type, decode } of recursive) type.decode = countDepth(decode)
  for (const { type, decode, limits } of bounded) type.decode = limitDecoding(decode, limits)
  const decodeMessage = limitDecoding(proto.Message.decode as Decode, MESSAGE_LIMITS)
  proto.Message.decode = ((input: never, ...rest: unknown[]) => {
    try {
      return decodeMessage(input, ...rest)
    } catch (error) {
      if (isReader(input) || !(error instanceof LimitExceeded)) throw error
      return proto.Message.fromObject(placeholder)
    }
  }) as typeof proto.Message.decode
}

export const boundedDecoding: Patch = {
  name: 'bounded-decoding',
  library: 'baileys@7.0.0-rc14',
  fault:
    'Messages, certificates and keys from strangers are decoded without a limit on the number of their parts or the depth of nesting.',
  why: 'One message of 10 MB made of empty contacts stopped a host for 40 seconds, and all of its sessions with it. It is read as the placeholder that the network has for content that a device is not shown.',
  upstream:
    'To report in private to WhiskeySockets/Baileys: "proto.Message.decode of a decrypted message has no limit of parts and of depth". With a list of five million empty contacts.',
  until: 'decryptMessageNode takes a limit, or protobufjs has one for the number of values.',
  apply: limitDecoders,
}
