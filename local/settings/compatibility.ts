// What the operator gives up with COMPATIBILITY=uazapi, in one line for whoever starts the gateway.

import type { Settings } from './settings.ts'

/** Nothing to say while the contract holds as it is. */
export const givenUp = ({ COMPATIBILITY }: Pick<Settings, 'COMPATIBILITY'>): string[] =>
  COMPATIBILITY === 'uazapi'
    ? [
        'COMPATIBILITY=uazapi gives up: tokens are kept (sealed) and stand in webhook bodies, in /instance/all and in URLs; ids, webhook routes and edits are not as the contract has them.',
      ]
    : []
