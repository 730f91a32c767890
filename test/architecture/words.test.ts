// Words that were given up, by docs/code/glossary.md, do not come back.

import { expect, test } from 'vitest'
import { readSources } from './sources.ts'

const BANNED =
  /(?<![a-zA-Z])(rousing|wonder|comeToLight|parcels|Letter|HeldStore|fates|stillness|collectParcel|bringParcel|[Kk]eepsakes|muteWithout|holdBack|findWay|wayBy|ProxyWay|MediaWay|roomFor|roomOf|inBites|openLater|keepLater|tell(Arrived|Messages?|Outcome|Due|Settled))(?![a-z])|Laborator/

test('no file of the code has a word that was given up', () => {
  const found = readSources()
    .filter(({ path, text }) => !path.startsWith('test/architecture/') && BANNED.test(text))
    .map(({ path, text }) => `${path}: ${BANNED.exec(text)?.[0]}`)
  expect(found).toEqual([])
})
