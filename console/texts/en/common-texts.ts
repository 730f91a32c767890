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
  nav: {
    label: 'Pages',
    instances: 'Instances',
    instance: 'Instance',
    webhook: 'Server webhook',
    hosts: 'Hosts',
    health: 'Health',
    laboratory: 'Laboratory',
    docs: 'Docs',
  },
}
