// The table of all scenarios.

import type { Scenario } from './scenario.ts'
import { endings } from './table/endings.ts'
import { groups } from './table/groups.ts'
import { inbound } from './table/inbound.ts'
import { linking } from './table/linking.ts'
import { outbound } from './table/outbound.ts'
import { refusals } from './table/refusals.ts'
import { settings } from './table/settings.ts'

export const table: Scenario[] = [
  ...linking,
  ...outbound,
  ...inbound,
  ...groups,
  ...settings,
  ...refusals,
  ...endings,
]
