// Whoever reads the contract's own words, as the console and the typed client do, says so, and gets them whatever the operator has chosen.

/** A profile of the type that is accepted: browsers send it to other origins without asking first. */
export const inContractsWords = (headers: Headers): boolean =>
  /;\s*profile=contract\b/.test(headers.get('accept') ?? '')
