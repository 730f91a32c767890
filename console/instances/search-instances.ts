// Decides which instances match a search.

import type { Instance } from '@msgnet/shared/contract/responses/instance-responses.ts'

/** True if every typed word is in its name, number, profile, company or id. */
export function matchesSearch(instance: Instance, query: string): boolean {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (parts.length === 0) return true
  const { name, owner, profileName, companyId, id } = instance
  const text = `${name} ${owner} ${profileName} ${companyId} ${id}`.toLowerCase()
  return parts.every((part) => text.includes(part))
}
