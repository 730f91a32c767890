// Listeners that are for this machine only, and who may ask them.

/** A name that means this machine, with or without a port. */
const THIS_MACHINE = /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])(:\d{1,5})?$/i

export const isLoopback = (host: string | null | undefined): boolean => THIS_MACHINE.test(host ?? '')

/**
 * False for a page in a browser: it comes under its own name, which may resolve to this machine, or says where it is from.
 */
export const asksLocally = (header: (name: string) => string | null | undefined): boolean =>
  isLoopback(header('host')) &&
  !header('origin') &&
  [undefined, null, 'none', 'same-origin'].includes(header('sec-fetch-site'))
