// Key bundles: the keys that begin a session with a device.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { KEY_TYPE } from '../crypto/curve.ts'
import { findAccount, parseAddress } from '../network/address.ts'
import { takeBundle } from '../network/key-bundles.ts'
import { buildKeyNode, buildRegistrationNode, buildSignedKeyNode } from '../network/key-nodes.ts'
import { buildErrorNode } from '../network/refusal.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'

export function buildBundleNode(network: Network, jid: string): Stanza {
  const address = parseAddress(jid)
  const account = findAccount(network.store, address)
  const taken = account && takeBundle(network, account, address?.device ?? 0)
  if (taken === undefined) return buildStanza('user', { jid }, [buildErrorNode(404)])
  const content = [
    buildRegistrationNode(taken.registration),
    buildStanza('type', {}, KEY_TYPE),
    buildStanza('identity', {}, taken.identity),
    buildSignedKeyNode(taken.signedPreKey),
  ]
  if (taken.preKey) content.push(buildKeyNode(taken.preKey))
  if (taken.deviceIdentity) content.push(buildStanza('device-identity', {}, taken.deviceIdentity))
  return buildStanza('user', { jid, t: formatSeconds() }, content)
}
