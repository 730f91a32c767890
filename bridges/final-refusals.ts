// Which refusals of the gateway are final: for others a bridge tries again.

import { GatewayError } from '@msgnet/client/client.ts'

/** The instance is offline, or over a limit, or its token was replaced: later the gateway may do it. */
const PASSING = [401, 409, 429]

export const isFinalRefusal = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.status < 500 && !PASSING.includes(error.status)
