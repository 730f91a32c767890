// Reads the request of a gateway's page from the address of the network's page, and builds the address that answers it.

const REQUEST_PREFIX = '#msgnet-passkey='
const MAX_REQUEST_LENGTH = 32_768
/** A gateway on this machine may be without TLS. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Undefined if it is none, or none that may be answered. */
function readRequest(hash, now) {
  if (!hash.startsWith(REQUEST_PREFIX) || hash.length > MAX_REQUEST_LENGTH) return undefined
  let request
  try {
    request = JSON.parse(decodeURIComponent(hash.slice(REQUEST_PREFIX.length)))
  } catch {
    // What another program wrote there is left alone.
    return undefined
  }
  const { origin, nonce, account, expiresAt, options } = request ?? {}
  const isWhole =
    typeof nonce === 'string' &&
    /^[\w-]{22,64}$/.test(nonce) &&
    typeof account === 'string' &&
    typeof options?.challenge === 'string' &&
    Number.isFinite(expiresAt)
  if (!isWhole || !isGateway(origin)) return undefined
  return { origin, nonce, account, options, hasExpired: expiresAt <= now }
}

function isGateway(origin) {
  if (typeof origin !== 'string') return false
  const url = URL.parse(origin)
  if (url?.origin !== origin) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname))
}

/** A page of the gateway. What follows `#` is sent to no server. */
const buildAnswerAddress = ({ origin, nonce }, assertion) =>
  `${origin}/link#passkey=${encodeURIComponent(JSON.stringify({ nonce, assertion }))}`
