// A warning at the start: links to stored files that nobody but this machine can open.

import type { Settings } from './gateway-settings.ts'

/** Empty where there are no such links, or their origin is set. */
export const describeLinks = ({ MEDIA, PUBLIC_URL }: Pick<Settings, 'MEDIA' | 'PUBLIC_URL'>): string[] =>
  MEDIA === 'keep' && !PUBLIC_URL
    ? [
        'MEDIA=keep without PUBLIC_URL: links of files in events lead to this machine (127.0.0.1). Set PUBLIC_URL to the address by which receivers reach this gateway.',
      ]
    : []
