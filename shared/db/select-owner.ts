// SQL that reads the number of the linked account from an instance's row.

import { PERSON_SUFFIX } from '../jid.ts'

const suffix = `-${PERSON_SUFFIX.length}`

/** The digits in the column, as `extractPhone` finds them, or else the value of other SQL. */
export const selectOwner = (column = 'jid', otherwise = "''"): string =>
  `iif(substr(${column}, ${suffix}) = '${PERSON_SUFFIX}', substr(${column}, 1, length(${column}) ${suffix}), ${otherwise})`
