// Links a candidate: offers it an identity, and makes it a companion when it has countersigned.
import { proto } from '../codec/protobuf.ts'
import { buildStanza, findChild, readBytes, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { type Connection, sendRequest } from '../network/connections.ts'
import { notifyDevices } from '../network/devices.ts'
import type { Network } from '../network/simulated-network.ts'
import { buildRestart } from '../network/stream-errors.ts'
import type { Account } from '../store/account-table.ts'
import { offerIdentity, verifyCountersignature } from './device-identity.ts'
import { PairingRefused } from './pairing-refused.ts'

const RESPONSE_DEADLINE_MS = 15_000

/** Resolves to the companion's device number once it is linked. */
export async function linkCompanion(
  network: Network,
  connection: Connection,
  account: Account,
  secret: Buffer,
): Promise<number> {
  const { owner, socket } = connection
  if (owner.kind !== 'candidate') throw new PairingRefused('this device is linked already')
  if (connection.pendingResponses.size > 0) throw new PairingRefused('this device is being linked already')
  const { candidate } = owner
  const { device, keyIndex } = takeFreeDevice(network, account)
  const offer = offerIdentity(account, candidate.identity, keyIndex, secret)
  const response = await requestSignature(connection, [
    buildStanza('pair-success', {}, [
      buildStanza('device-identity', {}, offer.sealed),
      buildStanza('device', {
        jid: formatAddress(account, 'pn', device),
        lid: formatAddress(account, 'lid', device),
      }),
      ...buildPlatformNodes(network, account),
      buildClientProps(account),
    ]),
  ])
  const signed = readBytes(findChild(response, 'pair-device-sign'), 'device-identity')
  const deviceIdentity = signed && verifyCountersignature(account, candidate.identity, offer, signed)
  if (deviceIdentity === undefined) {
    socket.endWith(buildStanza('stream:error', { code: '401' }))
    throw new PairingRefused('the device did not sign its identity')
  }
  network.references.revokeReferences(connection)
  network.codes.remove(connection)
  network.passkeys.remove(connection)
  network.store.companions.add({ number: account.number, device, keyIndex, ...candidate, deviceIdentity })
  network.store.pasts.beginDelivery(account.number, device, candidate.wantsFullHistory)
  notifyDevices(network, account, 'add', device)
  socket.endWith(buildRestart())
  return device
}

/** What a new companion learns of the phone. */
function buildClientProps({ lidMigrated }: Account): Stanza {
  const props = proto.ClientPairingProps.encode({ isChatDbLidMigrated: lidMigrated }).finish()
  return buildStanza('client-props', {}, props)
}

/** The app on the phone, by which a companion knows whether it is a business account. */
function buildPlatformNodes({ store }: Network, { number, name }: Account): Stanza[] {
  if (!store.businesses.has(number)) return [buildStanza('platform', { name: 'android' })]
  return [buildStanza('biz', { name: name ?? number }), buildStanza('platform', { name: 'smba' })]
}

/** Device numbers are reused once they have run out, but never one in use. */
function takeFreeDevice(network: Network, account: Account) {
  const { accounts, companions } = network.store
  for (let tried = 0; tried <= companions.listByNumber(account.number).length; tried += 1) {
    const free = accounts.takeDevice(account.number)
    if (companions.find(account.number, free.device) === undefined) return free
  }
  throw new PairingRefused('this phone has all the devices that it can have')
}

function requestSignature(connection: Connection, content: Stanza[]): Promise<Stanza> {
  return new Promise((resolve, reject) => {
    const rejectPairing = (reason: string) => {
      clearTimeout(deadline)
      reject(new PairingRefused(reason))
    }
    const deadline = setTimeout(() => rejectPairing('the device did not respond'), RESPONSE_DEADLINE_MS)
    connection.socket.onSocketClosed(() => rejectPairing('the device went away'))
    sendRequest(connection, content, (response) => {
      clearTimeout(deadline)
      resolve(response)
    })
  })
}
