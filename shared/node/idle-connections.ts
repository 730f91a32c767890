// How long our servers of HTTP keep a connection open that nobody uses.

import { SECOND } from '../date-time.ts'

/** Node has 5 s, and closes a connection also when a request has come on it that a busy process has not read: its caller hears nothing. */
export const IDLE_CONNECTION_MS = 75 * SECOND
