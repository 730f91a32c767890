// Where Cloudflare is asked to make an object: near the host that it works with. Anywhere else the hint means nothing.

type Hint = 'wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'oc' | 'afr' | 'me'

/** The names of Cloudflare's location hints, and what the regions of the large providers begin with. */
const HINTS: [Hint, RegExp][] = [
  ['wnam', /^(wnam|us-?west|northamerica-west|ca-west|usw)/],
  ['enam', /^(enam|us|ca|northamerica|use)/],
  ['sam', /^(sam|sa-|southamerica|br|brazil)/],
  ['eeur', /^(eeur|eu-?east|europe-east|europe-central|pl)/],
  ['weur', /^(weur|eu|uk|de|fr|nl|gb|europe)/],
  ['oc', /^(oc|au|nz|ap-southeast-2|ap-southeast-4)/],
  ['apac', /^(apac|ap-|asia|jp|sg|in-|hk|kr)/],
  ['me', /^(me|il|ae)/],
  ['afr', /^(afr|af-|africa|za)/],
]

/** Nothing for a region whose name says no place: the object is then made near whoever asks first. */
export function placedNear(region: string | undefined): { locationHint?: Hint } {
  const [locationHint] = HINTS.find(([, names]) => names.test(region?.toLowerCase() ?? '')) ?? []
  return locationHint ? { locationHint } : {}
}
