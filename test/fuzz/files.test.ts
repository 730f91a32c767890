// Damaged files of every kind end no host: each is converted or refused, and what breaks is a decoder. `more-files.test.ts` has more of them.
// FUZZ_FILES says how many are made up (`npm run test:fuzz`: 100,000).

import { test } from 'vitest'
import { convertDamagedFiles } from './damaged-files.ts'

/** Three or more of each kind. */
const FILES = Number(process.env.FUZZ_FILES ?? 75)

test('damaged files are converted or refused, and end nothing but decoders', { timeout: 7_200_000 }, () =>
  convertDamagedFiles(FILES),
)
