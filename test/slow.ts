// The files of `npm run test:slow`: they wait out leases and silence, kill processes one by one, or start many gateways.

export const slow = [
  'test/delivery/crowd.test.ts',
  'test/delivery/kill.test.ts',
  'test/faults/chaos.test.ts',
  'test/faults/crash-points.test.ts',
  'test/faults/host-away.test.ts',
  'test/faults/host-keys.test.ts',
  'test/faults/reseal.test.ts',
  'test/faults/store.test.ts',
  'test/host/liveness.test.ts',
  'test/host/unanswered.test.ts',
  'test/hosts/frozen.test.ts',
  'test/hosts/idle.test.ts',
  'test/hosts/several.test.ts',
  'test/hosts/turns.test.ts',
  'test/hosts/upgrade.test.ts',
  'test/journey/dev.test.ts',
  'test/journey/proxy.test.ts',
]
