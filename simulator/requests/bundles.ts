// Key bundles: the keys that begin a session with a device.
import { type Stanza, stanza } from '../codec/stanza.ts'
import { KEY_TYPE } from '../crypto/curve.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import { takeBundle } from '../network/key-bundles.ts'
import { keyNode, registrationNode, signedKeyNode } from '../network/key-nodes.ts'
import type { Network } from '../network/network.ts'
import { errorNode } from '../network/refusal.ts'
import { seconds } from '../network/stamps.ts'

export function bundleFor(network: Network, jid: string): Stanza {
  const address = parseAddress(jid)
  const account = accountAt(network.store, address)
  const taken = account && takeBundle(network, account, address?.device ?? 0)
  if (taken === undefined) return stanza('user', { jid }, [errorNode(404)])
  const content = [
    registrationNode(taken.registration),
    stanza('type', {}, KEY_TYPE),
    stanza('identity', {}, taken.identity),
    signedKeyNode(taken.signedPreKey),
  ]
  if (taken.preKey) content.push(keyNode(taken.preKey))
  if (taken.deviceIdentity) content.push(stanza('device-identity', {}, taken.deviceIdentity))
  return stanza('user', { jid, t: seconds() }, content)
}
