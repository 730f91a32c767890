// One end of a group's sender key, by the library itself, without a network.

import { proto } from 'baileys'
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from 'baileys/lib/Signal/Group/index.js'
import { ProtocolAddress } from 'libsignal'

const name = new SenderKeyName('120363000000000001@g.us', new ProtocolAddress('5511700000001', 0))

/** A key of an author as it is sent to a member, with other parts than it has. */
export function changeDistribution(
  bytes: Uint8Array,
  parts: { chainKey: Uint8Array; signingKey: Uint8Array },
): Uint8Array {
  const key = proto.SenderKeyDistributionMessage.decode(bytes.subarray(1))
  Object.assign(key, parts)
  return Buffer.concat([bytes.subarray(0, 1), proto.SenderKeyDistributionMessage.encode(key).finish()])
}

/** The author or a reader, with the record in memory as the library writes it. */
export function createGroupDevice() {
  let stored: Buffer | undefined
  const storage = {
    loadSenderKey: async () => (stored ? SenderKeyRecord.deserialize(stored) : new SenderKeyRecord()),
    async storeSenderKey(_: SenderKeyName, record: SenderKeyRecord) {
      stored = Buffer.from(JSON.stringify(record.serialize()))
    },
  }
  const cipher = new GroupCipher(storage, name)
  const builder = new GroupSessionBuilder(storage)
  return {
    /** What is stored of the key, in characters. */
    stored: () => stored?.length ?? 0,
    distribute: async (): Promise<Uint8Array> => (await builder.create(name)).serialize(),
    take: (bytes: Uint8Array) =>
      builder.process(name, new SenderKeyDistributionMessage(null, null, null, null, bytes)),
    write: (text: string) => cipher.encrypt(Buffer.from(text)),
    read: async (message: Uint8Array) => String(await cipher.decrypt(message)),
  }
}
