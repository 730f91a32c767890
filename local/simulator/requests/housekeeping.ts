// Requests that every client makes to be in order: presence of stanzas, properties, liveness.
import { children, type Stanza, stanza, textOf } from '../codec/stanza.ts'
import { announceWaiting } from '../network/delivery.ts'
import { Refusal } from '../network/refusal.ts'
import { LARGEST_FILE } from '../store/media.ts'
import { asking, type RequestTable } from './request.ts'

export const housekeepingRequests: RequestTable = {
  'w:p get ping': () => [],
  'w:stats set add': () => [],
  'urn:xmpp:whatsapp:dirty set clean': () => [],

  'passive set active'(request) {
    asking(request)
    // After the answer, as the network does it: the client counts on it to finish its login.
    setImmediate(() => announceWaiting(request.network, request.connection))
    return []
  },

  'passive set passive'(request) {
    asking(request)
    request.connection.flowing = false
    delete request.connection.handingOver
    return []
  },

  'abt get props'(request) {
    asking(request)
    return [stanza('props', { protocol: '1', hash: 'sim-1', refresh: '86400', refresh_id: '1' })]
  },

  'w:sync:app:state set sync'(request) {
    asking(request)
    return [stanza('sync', {}, children(request.child, 'collection').map(upToDate))]
  },

  'w:biz get business_profile'(request) {
    asking(request)
    return [stanza('business_profile', { v: '244' })]
  },

  'w:m set media_conn'(request) {
    const { account } = asking(request)
    const { media } = request.network
    const attrs = { auth: media.passFor(account.number), ttl: '300', auth_ttl: '21600', max_buckets: '12' }
    const host = { hostname: media.host, maxContentLengthBytes: String(LARGEST_FILE) }
    return [stanza('media_conn', attrs, [stanza('host', host)])]
  },

  'status set status'(request) {
    const { account } = asking(request)
    request.network.store.accounts.setAbout(account, textOf(request.child) ?? '')
    return []
  },
}

/** Nothing has changed in it: the simulated phones share no key with which a change could be written. */
function upToDate(collection: Stanza): Stanza {
  const { name, version } = collection.attrs
  if (name === undefined || children(collection, 'patch').length > 0) throw new Refusal(400)
  return stanza('collection', { name, version: version ?? '0' })
}
