// The keys of the settings that an account's devices share: the phone creates them and shares them with each companion.
import { randomBytes, randomInt } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { AppStateKey } from '../store/app-state-table.ts'
import { sendToCompanion } from './peer-messages.ts'

const SECRET = 32
const LARGEST = 2 ** 32 - 1

/** All keys; the last one is used for writing. */
export function ensureKeys({ store }: Network, { number }: Account): AppStateKey[] {
  const present = store.appState.listKeys(number)
  if (present.length > 0) return present
  const key = { id: createKeyId(), secret: randomBytes(SECRET), madeAt: Date.now() }
  store.appState.addKey(number, key)
  return [key]
}

/** The device that created the key, which is the phone, and a number. */
function createKeyId(): Buffer {
  const id = Buffer.alloc(6)
  id.writeUInt32BE(randomInt(1, LARGEST), 2)
  return id
}

/** Once for each companion, which cannot read the phone's settings without them. Returns whether it was the first time. */
export async function shareKeys(network: Network, account: Account, device: number): Promise<boolean> {
  const { appState, companions } = network.store
  if (appState.isShared(account.number, device)) return false
  const deviceIndexes = [0, ...companions.listByNumber(account.number).map(({ keyIndex }) => keyIndex)]
  const keys = ensureKeys(network, account).map(({ id, secret, madeAt }) => ({
    keyId: { keyId: id },
    keyData: {
      keyData: secret,
      fingerprint: { rawId: id.readUInt32BE(2), currentIndex: 0, deviceIndexes },
      timestamp: madeAt,
    },
  }))
  const { APP_STATE_SYNC_KEY_SHARE: type } = proto.Message.ProtocolMessage.Type
  const sent = await sendToCompanion(network, account, device, { type, appStateSyncKeyShare: { keys } })
  if (sent === undefined) return false
  appState.markShared(account.number, device)
  return true
}
