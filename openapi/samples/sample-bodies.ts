// Finds the sample bodies of an operation.

import type { Entry } from '../document.ts'

/** By name; one without a name if the operation takes no body. Routes for our own hosts have none. */
export function listSampleBodies({ operation }: Entry): { name: string; body: unknown }[] {
  if (operation.auth === 'host') return []
  return Object.entries(operation.body?.samples ?? { '': undefined }).map(([name, body]) => ({ name, body }))
}
