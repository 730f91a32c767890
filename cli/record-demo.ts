// `npm run record:demo`: runs the demo and draws it as the moving picture of the README, cli/demo/demo.svg.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuseArguments, runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot } from './build/root.ts'
import { drawRecording } from './demo/draw-recording.ts'

await runCommand(() => {
  refuseArguments()
  const output = execFileSync(process.execPath, [join(projectRoot, 'cli', 'demo.ts')], {
    env: { ...process.env, FORCE_COLOR: '1' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  writeFileSync(join(projectRoot, 'cli', 'demo', 'demo.svg'), drawRecording(output))
})
