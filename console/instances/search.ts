// Decides which instances match a search.

import type { Instance } from '../../shared/contract/answers/instance.ts'

/** True if every typed word is in its name, number, profile, company or id. */
export function fits(instance: Instance, wanted: string): boolean {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  if (parts.length === 0) return true
  const { name, owner, profileName, companyId, id } = instance
  const heap = `${name} ${owner} ${profileName} ${companyId} ${id}`.toLowerCase()
  return parts.every((part) => heap.includes(part))
}
