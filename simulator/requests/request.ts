// The input and the result of a request handler.
import type { Stanza } from '../codec/stanza.ts'
import type { Connection } from '../network/connections.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Companion } from '../store/companion-table.ts'

export type Request = {
  network: Network
  connection: Connection
  /** The whole request, and the child that names it. */
  iq: Stanza
  child: Stanza | undefined
}

/** The content of the result. A handler refuses by throwing a `Refusal`. */
export type Handler = (request: Request) => Stanza[] | Promise<Stanza[]>

/** Keys are namespace, type and the child that names the request: `encrypt set rotate`. A `-` means no child. */
export type RequestTable = Record<string, Handler>

/** The sender's account; refuses a candidate. */
export function requireCompanion({ network, connection }: Request): {
  account: Account
  companion: Companion
} {
  const { owner } = connection
  const companion =
    owner.kind === 'companion' ? network.store.companions.find(owner.number, owner.device) : undefined
  const account = companion && network.store.accounts.find(companion.number)
  if (companion === undefined || account === undefined) throw new Refusal(401)
  return { account, companion }
}
