// Notifies companions of a call, and handles their answers.
import { type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { deliverToAll } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Call, State } from './calls.ts'

export function ring(network: Network, call: Call) {
  const media = call.video
    ? [stanza('audio', { enc: 'opus', rate: '16000' }), stanza('video')]
    : [stanza('audio')]
  announce(network, call, 'offer', media)
}

/** The called phone accepts or rejects the call, or the calling phone ends it. */
export function turn(network: Network, call: Call, state: Exclude<State, 'offer'>) {
  call.state = state
  announce(network, call, state)
}

/** A companion rejected the call, so the others stop ringing. */
export function rejectFrom(network: Network, call: Call, device: number) {
  call.state = 'reject'
  call.rejectedBy = device
  announce(network, call, 'terminate', [], device)
}

function announce(network: Network, call: Call, state: State, content: Stanza[] = [], except?: number) {
  const { accounts } = network.store
  const [caller, called] = [accounts.find(call.from), accounts.find(call.to)]
  if (caller === undefined || called === undefined) return
  if (network.store.privacy.hasBlocked(called.number, caller.number)) return
  // What the called phone does its companions hear from it; all else comes from the other side.
  const from = state === 'accept' || state === 'reject' ? called : caller
  const said = stanza(state === 'timeout' ? 'terminate' : state, named(call, caller, state), content)
  const attrs = {
    from: addressOf(from, call.form),
    id: freshId(),
    t: seconds(),
    notify: from.name,
    platform: 'android',
    version: '2.24.1',
  }
  deliverToAll(network, called.number, stanza('call', attrs, [said]), except)
}

function named(call: Call, caller: Account, state: State) {
  return {
    'call-id': call.id,
    'call-creator': addressOf(caller, call.form),
    // In a call between LIDs the number is added.
    caller_pn: call.form === 'lid' ? addressOf(caller, 'pn') : undefined,
    reason: state === 'timeout' ? 'timeout' : undefined,
  }
}
