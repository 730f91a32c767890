// Notifies companions of a call, and handles their responses.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import type { Call, CallState } from '../network/call-registry.ts'
import { deliverToAll } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'

export function ringCompanions(network: Network, call: Call) {
  const media = call.video
    ? [buildStanza('audio', { enc: 'opus', rate: '16000' }), buildStanza('video')]
    : [buildStanza('audio')]
  notifyCallState(network, call, 'offer', media)
}

/** The called phone accepts or rejects the call, or the calling phone ends it. */
export function changeCallState(network: Network, call: Call, state: Exclude<CallState, 'offer'>) {
  call.state = state
  notifyCallState(network, call, state)
}

/** A companion rejected the call, so the others stop ringing. */
export function rejectFromCompanion(network: Network, call: Call, device: number) {
  call.state = 'reject'
  call.rejectedBy = device
  notifyCallState(network, call, 'terminate', [], device)
}

function notifyCallState(
  network: Network,
  call: Call,
  state: CallState,
  content: Stanza[] = [],
  except?: number,
) {
  const { accounts } = network.store
  const [caller, called] = [accounts.find(call.from), accounts.find(call.to)]
  if (caller === undefined || called === undefined) return
  if (network.store.privacy.hasBlocked(called.number, caller.number)) return
  // What the called phone does is sent under its own address, all others under the caller's.
  const from = state === 'accept' || state === 'reject' ? called : caller
  const change = buildStanza(
    state === 'timeout' ? 'terminate' : state,
    buildCallAttrs(call, caller, state),
    content,
  )
  const attrs = {
    from: formatAddress(from, call.form),
    id: createId(),
    t: formatSeconds(),
    notify: from.name,
    platform: 'android',
    version: '2.24.1',
  }
  deliverToAll(network, called.number, buildStanza('call', attrs, [change]), except)
}

function buildCallAttrs(call: Call, caller: Account, state: CallState) {
  return {
    'call-id': call.id,
    'call-creator': formatAddress(caller, call.form),
    // In a call between LIDs the number is added.
    caller_pn: call.form === 'lid' ? formatAddress(caller, 'pn') : undefined,
    reason: state === 'timeout' ? 'timeout' : undefined,
  }
}
