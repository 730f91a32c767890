// The texts that every page of the console has.

export const common = {
  name: 'msgnet gateway',
  loading: 'Loading…',
  close: 'Close',
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
  nav: {
    label: 'Pages',
    overview: 'Overview',
    instances: 'Instances',
    instance: 'Instance',
    webhook: 'Server webhook',
    hosts: 'Hosts',
    health: 'Health',
    laboratory: 'Laboratory',
    docs: 'Docs',
  },
}
