// Looks people up: whether a number has an account, its LID, its devices.
import { child, children, type Stanza, stanza, textOf } from '../codec/stanza.ts'
import { accountAt, addressOf, HOSTED, parseAddress, SERVER } from '../network/address.ts'
import { keyIndexList, keyIndexOf } from '../network/key-index-list.ts'
import { devicesOf, hashDevices } from '../network/messages/device-hash.ts'
import type { Network } from '../network/network.ts'
import { lets } from '../network/privacy.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'
import { asking, type RequestTable } from './request.ts'

export const peopleRequests: RequestTable = {
  'usync get usync'(request) {
    const { account } = asking(request)
    const { attrs } = request.child ?? stanza('usync')
    const query = child(request.child, 'query')
    const wanted = children(query).map((protocol) => protocol.tag)
    const users = children(child(request.child, 'list'), 'user')
    const unknown = wanted.filter((protocol) => !(protocol in PROTOCOLS))
    if (!attrs.sid || wanted.length === 0 || users.length === 0 || unknown.length > 0) throw new Refusal(400)
    const asked = { wanted, byLid: child(query, 'contact')?.attrs.addressing_mode === 'lid' }
    const found = users
      .filter((user) => !isLeftOut(request.network, account, user))
      .map((user) => lookUp(request.network, account, user, asked))
    return [
      stanza('usync', { ...attrs }, [
        stanza(
          'result',
          {},
          wanted.map((protocol) => stanza(protocol)),
        ),
        stanza('list', {}, found),
      ]),
    ]
  },
}

/** How an account was named: the form of the address, and the text of `contact`. */
type Naming = { form: Form; contact: string }
type Protocol = (network: Network, account: Account, asker: Account, naming: Naming) => Stanza | undefined

/** The fields of an account in the answer, by the requested ones. */
const PROTOCOLS: Record<string, Protocol> = {
  contact: (_network, _account, _asker, { contact }) => stanza('contact', { type: 'in' }, contact),
  lid: (_, account) => stanza('lid', { val: addressOf(account, 'lid') }),
  devices: deviceList,
  status: aboutOf,
  disappearing_mode: ({ store }, { number }) =>
    stanza('disappearing_mode', { duration: store.privacy.get(number, 'disappearing', '0'), t: '0' }),
  username: () => undefined,
  picture: () => undefined,
  business: () => undefined,
}

const writtenIn = (user: Stanza) => textOf(child(user, 'contact'))
const phoneIn = (user: Stanza) =>
  writtenIn(user)
    ?.replace(/^\+/, '')
    .replace(/@c\.us$/, '')

function addressIn(user: Stanza): string | undefined {
  const phone = phoneIn(user)
  return user.attrs.jid ?? (phone === undefined ? undefined : `${phone}${SERVER}`)
}

function isLeftOut({ faults, store }: Network, asker: Account, user: Stanza): boolean {
  const account = accountAt(store, parseAddress(addressIn(user)))
  return faults.leavesOut(asker.number, 'usync', account?.number)
}

/** `byLid`: a number is answered with the LID as `jid` and the number beside it, and its text as it was written. */
type Asked = { wanted: string[]; byLid: boolean }

function lookUp(network: Network, asker: Account, user: Stanza, { wanted, byLid }: Asked): Stanza {
  const jid = addressIn(user)
  const address = parseAddress(jid)
  if (jid === undefined || address === undefined) throw new Refusal(400)
  const account = accountAt(network.store, address)
  if (account === undefined) {
    const text = byLid ? writtenIn(user) : phoneIn(user)
    const content = wanted.includes('contact') ? [stanza('contact', { type: 'out' }, text)] : []
    return stanza('user', byLid ? { pn_jid: jid } : { jid }, content)
  }
  const contact = byLid ? (writtenIn(user) ?? '') : `+${account.number}`
  const naming = { form: address.form, contact }
  const told = wanted.map((protocol) => PROTOCOLS[protocol]?.(network, account, asker, naming))
  return stanza(
    'user',
    byLid ? { jid: addressOf(account, 'lid'), pn_jid: addressOf(account, 'pn') } : { jid },
    told.filter((node) => node !== undefined),
  )
}

function aboutOf(network: Network, account: Account, asker: Account): Stanza {
  if (!lets(network, account, 'status', asker)) return stanza('status', { code: '401' })
  return stanza('status', { t: '1' }, Buffer.from(account.about ?? ''))
}

function deviceList(network: Network, account: Account, asker: Account, { form }: Naming): Stanza {
  // An account that was migrated to LIDs may be shown no devices of a number, which has some all the same.
  const byNumber = form === 'pn' && asker.lidMigrated && account.number !== asker.number
  if (byNumber && network.faults.strikes('empty_devices', { number: asker.number }))
    return stanza('devices', {}, [stanza('device-list')])
  const devices = devicesOf(network, account)
  const nodes = devices.map(({ device }) =>
    stanza('device', {
      id: String(device),
      'key-index': device === 0 ? undefined : String(keyIndexOf(network, account, device)),
      is_hosted: device === HOSTED ? 'true' : undefined,
    }),
  )
  const list = stanza('device-list', { hash: hashDevices(devices, form) }, nodes)
  return stanza('devices', {}, [list, ...(devices.length > 1 ? [keyIndexList(network, account)] : [])])
}
