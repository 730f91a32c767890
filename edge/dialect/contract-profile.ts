// A caller that asks for the contract's own words, as the console and the typed client do, gets them even if the operator has chosen the family's.

/** The profile is in `Accept`, which browsers send to other origins without a preflight. */
export const requestsContract = (headers: Headers): boolean =>
  /;\s*profile=contract\b/.test(headers.get('accept') ?? '')
