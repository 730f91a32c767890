// What `files.test.ts` shows, with so many that each kind of file is damaged in a dozen ways.
// @module-tag slow

import { test } from 'vitest'
import { convertDamagedFiles } from './damaged-files.ts'

const FILES = 300

test(
  'three hundred damaged files are converted or refused, and end nothing but decoders',
  {
    timeout: 600_000,
  },
  () => convertDamagedFiles(FILES),
)
