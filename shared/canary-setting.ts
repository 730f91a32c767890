// The setting of the canary: two instances, and how often they write to each other.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** In seconds. */
export const CANARY_INTERVAL_SECONDS = { min: 1, max: 86_400, preset: 900 }

export const CANARY_EXPECTED = 'must be the ids of two instances with a comma between them'

export function isCanarySetting(text: string): boolean {
  const ids = text.split(',').map((id) => id.trim())
  return ids.length === 2 && ids.every((id) => UUID.test(id)) && ids[0] !== ids[1]
}

export function parseCanaryPair(text: string): [string, string] {
  const [one = '', other = ''] = text.split(',').map((id) => id.trim())
  return [one, other]
}
