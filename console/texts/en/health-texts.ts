// The texts of the page “Health”.

export const health = {
  worst: {
    good: 'Everything works.',
    warn: 'It works, with a limitation that is listed below.',
    bad: 'Something does not work. It is listed below.',
  },
  kinds: { good: 'Works', warn: 'Check', bad: 'Down' },
  server: 'Server',
  serverUp: 'It responds.',
  serverDown: 'It does not respond. Nothing else is known.',
  database: 'Database',
  databaseUp: 'It responds: instances, events and deliveries are stored.',
  databaseDown: 'It does not respond. Requests are refused with 502 and may be sent again. No data is lost.',
  hosts: 'Session hosts',
  hostsUp: (count: number) =>
    count === 1 ? 'One is live and accepts instances.' : `${count} are live and accept instances.`,
  hostsFull:
    'No host accepts another instance: all are full or draining. Connected instances stay connected.',
  hostsDown:
    'No host is live: nothing can be sent or received until one is. Stored events are still delivered.',
  instances: 'Instances',
  instancesSummary: (on: number, all: number, lost: number) =>
    `${on} of ${all} connected${lost ? `, ${lost} connecting` : ''}.`,
  delivery: 'Delivery',
  deliveryUp: 'No webhook is stopped, failing or waiting.',
  deliveryDown: (stopped: number, failing: number, waiting: number) =>
    `Webhooks: ${stopped} stopped, ${failing} failing, ${waiting} waiting.`,
  modules: 'Modules',
  modulesOn: 'All are on.',
  modulesOff: (names: string) => `All are on except: ${names}.`,
}
