// The guarantees that the operator gives up with COMPATIBILITY=uazapi, as one line that is printed at the start.

import type { Settings } from './gateway-settings.ts'

/** Empty while the contract holds unchanged. */
export const describeCompatibility = ({ COMPATIBILITY }: Pick<Settings, 'COMPATIBILITY'>): string[] =>
  COMPATIBILITY === 'uazapi'
    ? [
        'COMPATIBILITY=uazapi is less safe: tokens are stored (sealed) and are in webhook bodies, in /instance/all and in URLs; ids, webhook routes and edits differ from the contract.',
      ]
    : []
