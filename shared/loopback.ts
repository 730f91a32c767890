// Checks for listeners that serve only this machine.

/** A name that means this machine, with or without a port. */
const THIS_MACHINE = /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])(:\d{1,5})?$/i

export const isLoopback = (host: string | null | undefined): boolean => THIS_MACHINE.test(host ?? '')

/**
 * False for a page in a browser: its Host is its own name, even if that resolves to this machine, or a header says that another page sent it.
 */
export const isLocalRequest = (header: (name: string) => string | null | undefined): boolean =>
  isLoopback(header('host')) &&
  !header('origin') &&
  [undefined, null, 'none', 'same-origin'].includes(header('sec-fetch-site'))
