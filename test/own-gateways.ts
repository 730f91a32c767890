// The files of `npm test` that start gateways of their own, and why they cannot borrow one: each start is seconds of a run.

const KILLS = 'kills or freezes a part'
const LOGS = 'reads all that a gateway logged or printed'
const VARIABLES = 'no other file has its variables'
const HOSTS = 'has session hosts of its own'
const STORED = 'looks at all that a gateway stores, or changes it'

export const ownGateways: Record<string, string> = {
  'test/console/open-option.test.ts': VARIABLES,
  'test/contract/deploy.test.ts': VARIABLES,
  'test/contract/idempotency.test.ts': KILLS,
  'test/contract/incomplete-bodies.test.ts': LOGS,
  'test/contract/links.test.ts': LOGS,
  'test/contract/listeners.test.ts': LOGS,
  'test/contract/retention.test.ts': STORED,
  'test/contract/sessions.test.ts': KILLS,
  'test/contract/tokens-in-logs.test.ts': LOGS,
  'test/delivery/isolation.test.ts': VARIABLES,
  'test/engines/conformance.test.ts': KILLS,
  'test/engines/upgrade-memory.test.ts': KILLS,
  'test/faults/lost-store.test.ts': KILLS,
  'test/faults/ready.test.ts': VARIABLES,
  'test/hosts/long-lists.test.ts': HOSTS,
  'test/hosts/older-wire.test.ts': HOSTS,
  'test/hosts/poison.test.ts': HOSTS,
  'test/hosts/tokens.test.ts': HOSTS,
  'test/journey/discretion.test.ts': LOGS,
  'test/journey/false-claims.test.ts': LOGS,
  'test/journey/limits.test.ts': KILLS,
  'test/journey/link.test.ts': KILLS,
  'test/journey/machine-variables.test.ts': VARIABLES,
  'test/journey/readme-commands.test.ts': STORED,
  'test/journey/scheduled.test.ts': STORED,
  'test/journey/stored-media.test.ts': KILLS,
  'test/journey/sealed-changes.test.ts': KILLS,
  'test/journey/uazapi-chats.test.ts': KILLS,
  'test/journey/uazapi-dialect.test.ts': KILLS,
  'test/observability/listeners.test.ts': VARIABLES,
  'test/observability/metrics.test.ts': LOGS,
  'test/releases/upgrade.test.ts': STORED,
}
