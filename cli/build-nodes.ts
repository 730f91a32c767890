// `npm run build:nodes`: builds the nodes for n8n into `clients/n8n-nodes-msgnet/dist`, the form in which n8n loads them.

import { join } from 'node:path'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { buildN8nPackage } from './build/clients/n8n-package.ts'
import { projectRoot } from './build/root.ts'

await runCommand(() => buildN8nPackage(join(projectRoot, 'clients', 'n8n-nodes-msgnet', 'dist')))
