// The first stanza to a candidate: the references for its QR codes.
import { stanza } from '../codec/stanza.ts'
import { type Connection, request } from '../network/connections.ts'
import type { Network } from '../network/network.ts'

const REFERENCES = 6

export function invitation(network: Network, connection: Connection) {
  const references = network.references.give(connection, REFERENCES)
  request(connection, [
    stanza(
      'pair-device',
      {},
      references.map((reference) => stanza('ref', {}, Buffer.from(reference))),
    ),
  ])
}
