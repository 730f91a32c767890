// A libSQL server on a folder for the time of a command, with a key that nobody else has.

import { generateKeyPairSync } from 'node:crypto'
import { type DatabaseAccess, databasePart, databaseToken } from '../parts/database.ts'
import { makeCrew } from '../processes/crew.ts'
import { freePort } from '../settings/ports.ts'

/** The database is in the folder `database` of `dataDir`, which has a folder `logs`. */
export async function withOwnDatabase(
  dataDir: string,
  use: (access: DatabaseAccess) => Promise<void>,
): Promise<void> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const port = await freePort()
  const crew = makeCrew(console.log, () => undefined, { keepMb: 1 })
  try {
    await crew.start(databasePart(dataDir, port, pem))
    await use({ url: `http://127.0.0.1:${port}`, token: databaseToken(pem) })
  } finally {
    await crew.stop()
  }
}
