// Requests about linking: by pairing code, and a companion that unlinks itself.
import { bytesOf, child, stanza, textOf } from '../codec/stanza.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import { unlink } from '../network/devices.ts'
import { Refusal } from '../network/refusal.ts'
import { asking, type Handler, type Request, type RequestTable } from './request.ts'

const WRAPPED_KEY = 80
const BUNDLE = 32 + 12 + 96 + 16
/** Shown on the phone as `Chrome (Windows)`: the network accepts only known names. */
const KNOWN_DEVICE =
  /^(Chrome|Edge|Firefox|IE|Opera|Safari|Desktop) \((Windows|Mac OS|Linux|Ubuntu|Chrome OS)\)$/

const STAGES: Record<string, Handler> = { companion_hello: companionHello, companion_finish: companionFinish }

export const linkingRequests: RequestTable = {
  'md set link_code_companion_reg'(request) {
    const stage = STAGES[request.child?.attrs.stage ?? '']
    if (stage === undefined || request.connection.owner.kind !== 'candidate') throw new Refusal(400)
    return stage(request)
  },

  'md set remove-companion-device'(request) {
    const { account, companion } = asking(request)
    const address = parseAddress(request.child?.attrs.jid)
    const own = accountAt(request.network.store, address)?.number === account.number
    if (address === undefined || !own) throw new Refusal(400)
    // A companion may only speak for itself.
    if (address.device !== companion.device) throw new Refusal(403)
    setImmediate(() => unlink(request.network, account, companion.device))
    return []
  },
}

function companionHello({ network, connection, child: hello }: Request) {
  const address = parseAddress(hello?.attrs.jid)
  const wrappedKey = bytesOf(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub')
  const noiseKey = bytesOf(hello, 'companion_server_auth_key_pub')
  const platform = textOf(child(hello, 'companion_platform_id'))
  const display = textOf(child(hello, 'companion_platform_display')) ?? ''
  if (connection.owner.kind !== 'candidate' || wrappedKey?.length !== WRAPPED_KEY) throw new Refusal(400)
  if (!noiseKey?.equals(connection.owner.candidate.noiseKey)) throw new Refusal(400)
  if (!/^\d+$/.test(platform ?? '') || !KNOWN_DEVICE.test(display)) throw new Refusal(400)
  if (address?.form !== 'pn') throw new Refusal(400)
  // Nothing known says that the network refuses a number without an account here; nobody can type its code.
  const pairing = network.codes.begin(connection, address.user, wrappedKey)
  return [
    stanza('link_code_companion_reg', { stage: 'companion_hello' }, [
      stanza('link_code_pairing_ref', {}, pairing.reference),
    ]),
  ]
}

function companionFinish({ network, connection, child: finish }: Request) {
  const bundle = bytesOf(finish, 'link_code_pairing_wrapped_key_bundle')
  const identity = bytesOf(finish, 'companion_identity_public')
  const pairing = network.codes.of(connection, bytesOf(finish, 'link_code_pairing_ref'))
  if (bundle?.length !== BUNDLE || identity?.length !== 32) throw new Refusal(400)
  if (pairing?.finish === undefined) throw new Refusal(404)
  if (!pairing.finish({ bundle, identity })) throw new Refusal(400)
  return []
}
