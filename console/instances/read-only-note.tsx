// What an admin token of scope `read` may not do with an instance: its pages show this in place of their content.

import { texts } from '../texts.ts'
import { Banner } from '../ui/notices.tsx'

const words = texts.account

export const ReadOnlyNote = () => (
  <Banner kind="info" title={words.readOnly}>
    {words.readOnlyHint}
  </Banner>
)
