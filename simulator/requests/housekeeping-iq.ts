// Requests that every client makes for its own operation: the backlog, properties, keep-alives.

import { buildStanza, readText } from '../codec/stanza.ts'
import { beginDelivery } from '../network/deliver-stanza.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { MAX_ABOUT, MAX_FILE_BYTES } from '../network-limits.ts'
import { setAbout } from '../people/profile-notices.ts'
import { shareKeys } from '../phones/app-state-keys.ts'
import { sendFirstHistory } from '../phones/phone-history.ts'
import { sendPast } from '../phones/phone-past.ts'
import { type RequestTable, requireCompanion } from './request.ts'

/** `lid_one_on_one_migration_enabled`: chats with one person were moved to LIDs. */
const LID_MIGRATION = '9435'

export const housekeepingRequests: RequestTable = {
  'w:p get ping': () => [],
  'w:p get -': () => [],
  'w:stats set add': () => [],

  'urn:xmpp:whatsapp:dirty set clean'(request) {
    request.network.terms.clearDirty(
      requireCompanion(request).account.number,
      request.child?.attrs.type ?? '',
    )
    return []
  },

  async 'passive set active'(request) {
    const { account, companion } = requireCompanion(request)
    const isFirst = await shareKeys(request.network, account, companion.device)
    if (isFirst) await sendFirstHistory(request.network, account, companion.device)
    sendPast(request.network, account, companion.device)
    // After the answer, as the network does it: the client counts on it to finish its login.
    setImmediate(() => beginDelivery(request.network, request.connection))
    return []
  },

  'passive set passive'(request) {
    requireCompanion(request)
    request.connection.flowing = false
    delete request.connection.backlog
    return []
  },

  'abt get props'(request) {
    const { account } = requireCompanion(request)
    const attrs = { protocol: '1', hash: 'sim-1', refresh: '86400', refresh_id: '1' }
    // Of accounts that are not migrated the network sends no such property.
    const props = account.lidMigrated ? [{ config_code: LID_MIGRATION, config_value: '1' }] : []
    return [
      buildStanza(
        'props',
        attrs,
        props.map((prop) => buildStanza('prop', prop)),
      ),
    ]
  },

  'w:biz get business_profile'(request) {
    requireCompanion(request)
    return [buildStanza('business_profile', { v: '244' })]
  },

  'w:m set media_conn'(request) {
    const { account } = requireCompanion(request)
    const { media } = request.network
    const attrs = { auth: media.createPass(account.number), ttl: '300', auth_ttl: '21600', max_buckets: '12' }
    const hosts = media.hosts.map((hostname, at) =>
      buildStanza('host', {
        hostname,
        maxContentLengthBytes: String(MAX_FILE_BYTES),
        type: at === 0 ? 'primary' : 'fallback',
      }),
    )
    return [buildStanza('media_conn', attrs, hosts)]
  },

  'status set status'(request) {
    const { account, companion } = requireCompanion(request)
    const about = readText(request.child) ?? ''
    if ([...about].length > MAX_ABOUT) throw new Refusal(406)
    setAbout(request.network, account, about, companion.device)
    return []
  },
}
