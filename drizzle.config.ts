// Makes a migration from the tables: `SIDE=edge npm run migration -- --name what-it-does`.

import { defineConfig } from 'drizzle-kit'

const side = process.env.SIDE === 'host' ? 'host' : 'edge'

export default defineConfig({
  dialect: 'sqlite',
  schema:
    side === 'host'
      ? ['./shared/db/host-tables.ts', './shared/db/setting-tables.ts', './shared/db/gap-tables.ts']
      : [
          './shared/db/edge-tables.ts',
          './shared/db/admin-tables.ts',
          './shared/db/sealed-tables.ts',
          './shared/db/scoped-token-tables.ts',
          './shared/db/uploaded-file-tables.ts',
          './shared/db/webhook-event-tables.ts',
          './shared/db/authorization-code-tables.ts',
        ],
  out: `./migrations/${side}`,
})
