// Which bodies the samples of an operation have.

import type { Entry } from '../document.ts'

/** By what they show; one without a name where the operation takes no body. None of what only our own hosts ask. */
export function sampleBodies({ operation }: Entry): { name: string; body: unknown }[] {
  if (operation.auth === 'host') return []
  return Object.entries(operation.body?.samples ?? { '': undefined }).map(([name, body]) => ({ name, body }))
}
