// The texts that every page of the console has.

export const common = {
  name: 'msgnet gateway',
  loading: 'Loading…',
  close: 'Close',
  /** `act`: as its button calls it. */
  answer: {
    done: (act: string) => `${act}: done.`,
    undo: 'Undo',
    undone: (act: string) => `${act}: undone.`,
  },
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  save: 'Save',
  requestId: 'request id',
  justNow: 'just now',
  search: 'Search',
  table: {
    sort: 'Sort by',
    pages: 'Pages of the list',
    previous: 'Previous page',
    next: 'Next page',
    range: (from: string, to: string, total: string) =>
      total ? `${from}–${to} of ${total}` : `${from}–${to}`,
  },
  absence: {
    gateway: 'The gateway does not respond.',
    database: 'The database of the gateway does not respond.',
    lastGood: (time: string) => `Last response at ${time}.`,
    nextTry: (seconds: number) => `Tries again in ${seconds} s.`,
    trying: 'Trying again…',
    tryNow: 'Try now',
    asOf: (time: string) => `as of ${time}`,
  },
  nav: {
    label: 'Pages',
    menu: 'Menu',
    overview: 'Overview',
    inbox: 'Inbox',
    instances: 'Instances',
    instance: 'Instance',
    webhook: 'Server webhook',
    hosts: 'Hosts',
    health: 'Health',
    tokens: 'Tokens',
    audit: 'Audit log',
    limits: 'Limits',
    simulation: 'Simulation',
    docs: 'Docs',
  },
}
