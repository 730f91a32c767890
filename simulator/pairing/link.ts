// Links a candidate: offers it an identity, and makes it a companion when it has countersigned.
import { proto } from '../codec/protobuf.ts'
import { bytesOf, child, type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { type Connection, request } from '../network/connections.ts'
import { notifyDevices } from '../network/devices.ts'
import type { Network } from '../network/network.ts'
import { restart } from '../network/stream-errors.ts'
import type { Account } from '../store/accounts.ts'
import { countersigned, offerIdentity } from './device-identity.ts'
import { PairingRefused } from './refused.ts'

const ANSWER_DEADLINE_MS = 15_000

/** Resolves to the companion's device number once it is linked. */
export async function link(
  network: Network,
  connection: Connection,
  account: Account,
  secret: Buffer,
): Promise<number> {
  const { owner, socket } = connection
  if (owner.kind !== 'candidate') throw new PairingRefused('this device is linked already')
  if (connection.awaited.size > 0) throw new PairingRefused('this device is being linked already')
  const { candidate } = owner
  const { device, keyIndex } = freePlace(network, account)
  const offer = offerIdentity(account, candidate.identity, keyIndex, secret)
  const answer = await askFor(connection, [
    stanza('pair-success', {}, [
      stanza('device-identity', {}, offer.sealed),
      stanza('device', {
        jid: addressOf(account, 'pn', device),
        lid: addressOf(account, 'lid', device),
      }),
      ...platformOf(network, account),
      clientProps(account),
    ]),
  ])
  const signed = bytesOf(child(answer, 'pair-device-sign'), 'device-identity')
  const deviceIdentity = signed && countersigned(account, candidate.identity, offer, signed)
  if (deviceIdentity === undefined) {
    socket.end(stanza('stream:error', { code: '401' }))
    throw new PairingRefused('the device did not sign its identity')
  }
  network.references.takeBack(connection)
  network.codes.withdraw(connection)
  network.passkeys.withdraw(connection)
  network.store.companions.add({ number: account.number, device, keyIndex, ...candidate, deviceIdentity })
  notifyDevices(network, account, 'add', device)
  socket.end(restart())
  return device
}

/** What the phone tells a new companion of itself. */
function clientProps({ lidMigrated }: Account): Stanza {
  const props = proto.ClientPairingProps.encode({ isChatDbLidMigrated: lidMigrated }).finish()
  return stanza('client-props', {}, props)
}

/** The app on the phone, by which a companion knows whether it is a business account. */
function platformOf({ store }: Network, { number, name }: Account): Stanza[] {
  if (!store.businesses.has(number)) return [stanza('platform', { name: 'android' })]
  return [stanza('biz', { name: name ?? number }), stanza('platform', { name: 'smba' })]
}

/** Device numbers are reused once they have run out, but never one in use. */
function freePlace(network: Network, account: Account) {
  const { accounts, companions } = network.store
  for (let tried = 0; tried <= companions.of(account.number).length; tried += 1) {
    const place = accounts.nextDevice(account.number)
    if (companions.find(account.number, place.device) === undefined) return place
  }
  throw new PairingRefused('this phone has all the devices that it can have')
}

function askFor(connection: Connection, content: Stanza[]): Promise<Stanza> {
  return new Promise((resolve, reject) => {
    const giveUp = (reason: string) => {
      clearTimeout(deadline)
      reject(new PairingRefused(reason))
    }
    const deadline = setTimeout(() => giveUp('the device did not answer'), ANSWER_DEADLINE_MS)
    connection.socket.whenClosed(() => giveUp('the device went away'))
    request(connection, content, (answer) => {
      clearTimeout(deadline)
      resolve(answer)
    })
  })
}
