// Looks people up: whether a number or a username has an account, its LID, its devices.
import { buildStanza, findChild, listChildren, readText, type Stanza } from '../codec/stanza.ts'
import { findAccount, formatAddress, HOSTED, parseAddress, SERVER } from '../network/address.ts'
import { hashDevices, listDevices } from '../network/device-hash.ts'
import { buildKeyIndexList, findKeyIndex } from '../network/key-index-list.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { isAllowed } from '../people/privacy-settings.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { type RequestTable, requireCompanion } from './request.ts'

export const peopleRequests: RequestTable = {
  'usync get usync'(request) {
    const { account } = requireCompanion(request)
    const { attrs } = request.child ?? buildStanza('usync')
    const query = findChild(request.child, 'query')
    const protocols = listChildren(query).map((protocol) => protocol.tag)
    const users = listChildren(findChild(request.child, 'list'), 'user')
    const unknown = protocols.filter((protocol) => !(protocol in PROTOCOLS))
    if (!attrs.sid || protocols.length === 0 || users.length === 0 || unknown.length > 0)
      throw new Refusal(400)
    const options = { protocols, byLid: findChild(query, 'contact')?.attrs.addressing_mode === 'lid' }
    const found = users
      .filter((user) => !isLeftOut(request.network, account, user))
      .map((user) =>
        readWantedUsername(user) === undefined
          ? lookUpUser(request.network, account, user, options)
          : lookUpUsername(request.network, user, protocols),
      )
    return [
      buildStanza('usync', { ...attrs }, [
        buildStanza(
          'result',
          {},
          protocols.map((protocol) => buildStanza(protocol)),
        ),
        buildStanza('list', {}, found),
      ]),
    ]
  },
}

/** How an account was named: the form of the address, and the text of `contact`. */
type Naming = { form: AddressForm; contact: string }
type Protocol = (network: Network, account: Account, requester: Account, naming: Naming) => Stanza | undefined

/** The fields of an account in the response, by the requested protocols. */
const PROTOCOLS: Record<string, Protocol> = {
  contact: (_network, _account, _asker, { contact }) => buildStanza('contact', { type: 'in' }, contact),
  lid: (_, account) => buildStanza('lid', { val: formatAddress(account, 'lid') }),
  devices: buildDeviceList,
  status: buildAbout,
  disappearing_mode: ({ store }, { number }) =>
    buildStanza('disappearing_mode', {
      duration: store.privacy.readValue(number, 'disappearing', '0'),
      t: '0',
    }),
  username: (_, { username }) =>
    username === undefined ? undefined : buildStanza('username', {}, username || undefined),
  picture: () => undefined,
  business: () => undefined,
}

const readContact = (user: Stanza) => readText(findChild(user, 'contact'))
const readPhone = (user: Stanza) =>
  readContact(user)
    ?.replace(/^\+/, '')
    .replace(/@c\.us$/, '')

function readAddress(user: Stanza): string | undefined {
  const phone = readPhone(user)
  return user.attrs.jid ?? (phone === undefined ? undefined : `${phone}${SERVER}`)
}

function isLeftOut({ faults, store }: Network, requester: Account, user: Stanza): boolean {
  const username = readWantedUsername(user)
  const account =
    username === undefined
      ? findAccount(store, parseAddress(readAddress(user)))
      : store.accounts.findByUsername(username)
  return faults.leavesOut(requester.number, 'usync', account?.number)
}

/** `byLid`: the response to a number has the LID as `jid` and the number beside it, and the text as it was written. */
type LookUpOptions = { protocols: string[]; byLid: boolean }

function lookUpUser(
  network: Network,
  requester: Account,
  user: Stanza,
  { protocols, byLid }: LookUpOptions,
): Stanza {
  const jid = readAddress(user)
  const address = parseAddress(jid)
  if (jid === undefined || address === undefined) throw new Refusal(400)
  const account = findAccount(network.store, address)
  if (account === undefined) {
    const text = byLid ? readContact(user) : readPhone(user)
    const content = protocols.includes('contact') ? [buildStanza('contact', { type: 'out' }, text)] : []
    return buildStanza('user', byLid ? { pn_jid: jid } : { jid }, content)
  }
  const contact = byLid ? (readContact(user) ?? '') : `+${account.number}`
  const naming = { form: address.form, contact }
  const nodes = protocols.map((protocol) => PROTOCOLS[protocol]?.(network, account, requester, naming))
  return buildStanza(
    'user',
    byLid ? { jid: formatAddress(account, 'lid'), pn_jid: formatAddress(account, 'pn') } : { jid },
    nodes.filter((node) => node !== undefined),
  )
}

const readWantedUsername = (user: Stanza) => findChild(user, 'contact')?.attrs.username

/**
 * The response has the LID only, and of a business the number beside it. Who has the username is not told to those who lack its key:
 * then `jid` is missing.
 */
function lookUpUsername({ store }: Network, user: Stanza, protocols: string[]): Stanza {
  if (!protocols.includes('contact')) throw new Refusal(400)
  const wanted = readWantedUsername(user) ?? ''
  const account = store.accounts.findByUsername(wanted)
  if (account === undefined)
    return buildStanza('user', {}, [buildStanza('contact', { type: 'out', username: wanted })])
  const contact = buildStanza('contact', { type: 'in', username: account.username })
  const { usernameKey } = account
  if (usernameKey !== undefined && findChild(user, 'contact')?.attrs.pin !== usernameKey)
    return buildStanza('user', {}, [contact])
  const isBusiness = protocols.includes('business') && store.businesses.has(account.number)
  const business = buildStanza('business', { pn_jid: formatAddress(account, 'pn') })
  return buildStanza('user', { jid: formatAddress(account, 'lid') }, [
    contact,
    ...(isBusiness ? [business] : []),
  ])
}

function buildAbout(network: Network, account: Account, requester: Account): Stanza {
  if (!isAllowed(network, account, 'status', requester)) return buildStanza('status', { code: '401' })
  return buildStanza('status', { t: '1' }, Buffer.from(account.about ?? ''))
}

function buildDeviceList(network: Network, account: Account, requester: Account, { form }: Naming): Stanza {
  // An account that was migrated to LIDs may be shown no devices of a number, which has some all the same.
  const byNumber = form === 'pn' && requester.lidMigrated && account.number !== requester.number
  if (byNumber && network.faults.consumeFault('empty_devices', { number: requester.number }))
    return buildStanza('devices', {}, [buildStanza('device-list')])
  const devices = listDevices(network, account)
  const nodes = devices.map(({ device }) =>
    buildStanza('device', {
      id: String(device),
      'key-index': device === 0 ? undefined : String(findKeyIndex(network, account, device)),
      is_hosted: device === HOSTED ? 'true' : undefined,
    }),
  )
  const list = buildStanza('device-list', { hash: hashDevices(devices, form) }, nodes)
  return buildStanza('devices', {}, [
    list,
    ...(devices.length > 1 ? [buildKeyIndexList(network, account)] : []),
  ])
}
