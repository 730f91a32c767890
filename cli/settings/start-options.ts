// The options of the start: of `npm start`, and of `npx msgnet-gateway`, which is the same program from its package.

import { parseArgs } from 'node:util'
import { isPackaged } from '@msgnet/shared/node/locate-program.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'

const flag = { type: 'boolean', default: false } as const

/** How a person starts it here. */
const COMMAND = isPackaged ? 'npx msgnet-gateway' : 'npm start --'
export const DEMO = isPackaged ? 'npx msgnet-gateway demo' : 'npm run demo'

/** Throws an error that names an option that there is not. */
export function readStartOptions() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      open: flag,
      watch: flag,
      help: { ...flag, short: 'h' },
      version: { ...flag, short: 'v' },
    },
  })
  if (values.watch && isPackaged)
    throw new OperatorError('--watch needs the sources: it is for a checkout of the project.')
  return values
}

/** The environment with the options in it, which win. */
export const addOptions = (
  env: NodeJS.ProcessEnv,
  { data, port }: { data?: string | undefined; port?: string | undefined },
): NodeJS.ProcessEnv => ({
  ...env,
  ...(data !== undefined && { DATA_DIR: data }),
  ...(port !== undefined && { PORT: port }),
})

export const formatHelp = (version: string): string =>
  [
    `msgnet gateway ${version}`,
    '',
    `  ${COMMAND} [options]     starts the whole gateway, with a simulated network, until Ctrl-C`,
    `  ${DEMO}${' '.repeat(COMMAND.length + 14 - DEMO.length)}shows in another terminal what it does, step by step`,
    '',
    '  --data FOLDER   where its data is stored (DATA_DIR)',
    '  --port PORT     of the API (PORT); 8787 unless given, 0 for a free one',
    '  --open          opens the console in the browser',
    '  --version       prints the version',
    '  --help          prints this',
    '',
    'NETWORK=live uses the real network. All else is set by variables too: docs/run/environment.md of the project, or /docs of a running gateway.',
  ].join('\n')
