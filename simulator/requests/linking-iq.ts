// Requests about linking: by pairing code, and a companion that unlinks itself.
import { buildStanza, findChild, readBytes, readText } from '../codec/stanza.ts'
import { findAccount, parseAddress } from '../network/address.ts'
import { unlinkCompanion } from '../network/devices.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { type Handler, type Request, type RequestTable, requireCompanion } from './request.ts'

const WRAPPED_KEY = 80
const BUNDLE = 32 + 12 + 96 + 16
/** Shown on the phone as `Chrome (Windows)`: the network accepts only known names. */
const KNOWN_DEVICE =
  /^(Chrome|Edge|Firefox|IE|Opera|Safari|Desktop) \((Windows|Mac OS|Linux|Ubuntu|Chrome OS)\)$/

const STAGES: Record<string, Handler> = {
  companion_hello: handleCompanionHello,
  companion_finish: handleCompanionFinish,
}

export const linkingRequests: RequestTable = {
  'md set link_code_companion_reg'(request) {
    const stage = STAGES[request.child?.attrs.stage ?? '']
    if (stage === undefined || request.connection.owner.kind !== 'candidate') throw new Refusal(400)
    return stage(request)
  },

  'md set remove-companion-device'(request) {
    const { account, companion } = requireCompanion(request)
    const address = parseAddress(request.child?.attrs.jid)
    const own = findAccount(request.network.store, address)?.number === account.number
    if (address === undefined || !own) throw new Refusal(400)
    // A companion may only unlink itself.
    if (address.device !== companion.device) throw new Refusal(403)
    setImmediate(() => unlinkCompanion(request.network, account, companion.device))
    return []
  },
}

function handleCompanionHello({ network, connection, child: hello }: Request) {
  const address = parseAddress(hello?.attrs.jid)
  const wrappedKey = readBytes(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub')
  const noiseKey = readBytes(hello, 'companion_server_auth_key_pub')
  const platform = readText(findChild(hello, 'companion_platform_id'))
  const display = readText(findChild(hello, 'companion_platform_display')) ?? ''
  if (connection.owner.kind !== 'candidate' || wrappedKey?.length !== WRAPPED_KEY) throw new Refusal(400)
  if (!noiseKey?.equals(connection.owner.candidate.noiseKey)) throw new Refusal(400)
  if (!/^\d+$/.test(platform ?? '') || !KNOWN_DEVICE.test(display)) throw new Refusal(400)
  if (address?.form !== 'pn') throw new Refusal(400)
  // It is not known whether the network refuses a number without an account here; its code cannot be typed anywhere.
  const pairing = network.codes.startPairing(connection, address.user, wrappedKey)
  return [
    buildStanza('link_code_companion_reg', { stage: 'companion_hello' }, [
      buildStanza('link_code_pairing_ref', {}, pairing.reference),
    ]),
  ]
}

function handleCompanionFinish({ network, connection, child: finish }: Request) {
  const bundle = readBytes(finish, 'link_code_pairing_wrapped_key_bundle')
  const identity = readBytes(finish, 'companion_identity_public')
  const pairing = network.codes.findPairing(connection, readBytes(finish, 'link_code_pairing_ref'))
  if (bundle?.length !== BUNDLE || identity?.length !== 32) throw new Refusal(400)
  if (pairing?.finish === undefined) throw new Refusal(404)
  if (!pairing.finish({ bundle, identity })) throw new Refusal(400)
  return []
}
