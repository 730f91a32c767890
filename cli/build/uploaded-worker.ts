// The path where `npm run build:cloudflare` puts the script that `npm run deploy` would upload.

import { join } from 'node:path'
import { projectRoot } from './root.ts'

export const uploadedWorker = join(projectRoot, '.build', 'cloudflare', 'worker.js')
