// Links the installed packages into a copy of the project: those of others from here, its own from the copy.

import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'

const SCOPE = '@msgnet'
const installed = join(projectRoot, 'node_modules')

/** The folders of this project's own packages, by name without the scope. */
export function readWorkspaces(): Map<string, string> {
  const { workspaces }: { workspaces: string[] } = JSON.parse(
    readFileSync(join(projectRoot, 'package.json'), 'utf8'),
  )
  return new Map(
    workspaces.map((folder) => {
      const { name } = JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8'))
      return [name.replace(`${SCOPE}/`, ''), folder] as const
    }),
  )
}

/** As `npm ci` in the folder `to` would have it. A link to our own `node_modules` would run the code from here. */
export function linkPackages(to: string): void {
  const folder = join(to, 'node_modules')
  mkdirSync(join(folder, SCOPE), { recursive: true })
  for (const name of readdirSync(installed))
    if (name !== SCOPE) symlinkSync(join(installed, name), join(folder, name))
  for (const [name, own] of readWorkspaces()) symlinkSync(join(to, own), join(folder, SCOPE, name))
}
