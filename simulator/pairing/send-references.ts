// The first stanza to a candidate: the references for its QR codes.
import { buildStanza } from '../codec/stanza.ts'
import { type Connection, sendRequest } from '../network/connections.ts'
import type { Network } from '../network/simulated-network.ts'

const REFERENCES = 6

export function sendReferences(network: Network, connection: Connection) {
  const references = network.references.createReferences(connection, REFERENCES)
  sendRequest(connection, [
    buildStanza(
      'pair-device',
      {},
      references.map((reference) => buildStanza('ref', {}, Buffer.from(reference))),
    ),
  ])
}
