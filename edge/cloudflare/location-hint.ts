// Apart from cloudflare-runtime.ts, because tests in Node import it: Cloudflare creates an object near its host by this hint.

type LocationHint = 'wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'oc' | 'afr' | 'me'

/** Cloudflare's location hints, and the beginnings of region names of the large providers. */
const HINTS: [LocationHint, RegExp][] = [
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

/** Empty if the name of the region is not known: the object is then created near its first caller. */
export function findLocationHint(region: string | undefined): { locationHint?: LocationHint } {
  const [locationHint] = HINTS.find(([, names]) => names.test(region?.toLowerCase() ?? '')) ?? []
  return locationHint ? { locationHint } : {}
}

interface Namespace<Id, Stub> {
  idFromName(name: string): Id
  get(id: Id, options: { locationHint?: LocationHint }): Stub
}

/** The object of this name. `region` counts only in the first call, which creates the object there. */
export const getObject = <Id, Stub>(namespace: Namespace<Id, Stub>, name: string, region?: string): Stub =>
  namespace.get(namespace.idFromName(name), findLocationHint(region))
