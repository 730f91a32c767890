// Whether a connection failed at TLS: then the server was reached, and its certificate is wrong, or what it speaks.

/** Of Node, for what OpenSSL refuses. `EPROTO`: the other side spoke something else, such as plain HTTP. */
const CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|EPROTO$)/

export const isTlsFailure = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CODES.test(String(error.code))
