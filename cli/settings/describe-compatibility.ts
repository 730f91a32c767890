// The guarantees that the operator gives up with COMPATIBILITY=uazapi or DIALECTS=uazapi, as lines that are printed at the start.

import type { Settings } from './gateway-settings.ts'

/** Empty while the contract holds unchanged. */
export const describeCompatibility = ({
  COMPATIBILITY,
  DIALECTS,
}: Pick<Settings, 'COMPATIBILITY' | 'DIALECTS'>): string[] => [
  ...(COMPATIBILITY === 'uazapi'
    ? [
        'COMPATIBILITY=uazapi is less safe: tokens are stored (sealed) and are in webhook bodies, in /instance/all and in URLs; ids, webhook routes and edits differ from the contract.',
      ]
    : []),
  ...(COMPATIBILITY !== 'uazapi' && DIALECTS.includes('uazapi')
    ? [
        'DIALECTS=uazapi is less safe: tokens of instances that it creates are stored (sealed) and are in the bodies of its webhooks, in /uazapi/instance/all and in URLs.',
      ]
    : []),
]
