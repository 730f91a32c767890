// The list of an account's devices that its phone has signed: those that are not in it may not be encrypted for.
import { proto } from '../codec/protobuf.ts'
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { signMessage } from '../crypto/curve.ts'
import type { Account } from '../store/account-table.ts'
import { HOSTED } from './address.ts'
import { listDevices } from './device-hash.ts'
import type { Network } from './simulated-network.ts'
import { formatSeconds } from './stanza-ids.ts'

const LIST_SIGNATURE = Buffer.from([6, 2])

/** By its account's device number; a phone has 0, and a hosted device the number itself. */
export function findKeyIndex({ store }: Network, { number }: Account, device: number): number {
  return store.companions.find(number, device)?.keyIndex ?? device
}

export function buildKeyIndexList(network: Network, account: Account): Stanza {
  const { E2EE, HOSTED: RUN_BY_COMPANY } = proto.ADVEncryptionType
  const devices = listDevices(network, account)
  const validIndexes = devices.map(({ device }) => findKeyIndex(network, account, device))
  const ts = formatSeconds()
  const details = proto.ADVKeyIndexList.encode({
    rawId: account.registration,
    timestamp: Number(ts),
    currentIndex: Math.max(...validIndexes),
    validIndexes,
    accountType: devices.some(({ device }) => device === HOSTED) ? RUN_BY_COMPANY : E2EE,
  }).finish()
  const accountSignature = signMessage(account.identity.private, Buffer.concat([LIST_SIGNATURE, details]))
  const signed = proto.ADVSignedKeyIndexList.encode({ details, accountSignature }).finish()
  return buildStanza('key-index-list', { ts }, Buffer.from(signed))
}
