// The name that an account has given itself.

import { truncateName } from '@msgnet/shared/truncation.ts'

/** Until there is a name, the library uses a placeholder or the number itself. */
export const readProfileName = (me: { name?: string | undefined } | undefined): string =>
  me?.name && me.name !== '~' && !/^\+?\d+$/.test(me.name) ? truncateName(me.name) : ''
