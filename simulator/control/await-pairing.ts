// Turns a pairing that failed into an answer of the control interface.
import { PairingRefused } from '../pairing/pairing-refused.ts'
import { createProblem } from './problem.ts'

/** A failed pairing is a 409. */
export async function awaitPairing<Device>(pairing: Promise<Device>): Promise<Device> {
  try {
    return await pairing
  } catch (error) {
    if (error instanceof PairingRefused) throw createProblem(409, error.message)
    throw error
  }
}
