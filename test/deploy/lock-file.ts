// What npm installs by package-lock.json: of all packages, or of one of ours.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'

interface Locked {
  /** Of tests only. */
  dev?: boolean
  optional?: boolean
  /** One of ours: `resolved` is its folder. */
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** By path, such as `node_modules/zod`; our own packages are there by their folders too. */
export const lock: Record<string, Locked> = JSON.parse(
  readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'),
).packages

const isInstalled = (path: string) => existsSync(join(projectRoot, path))
const isOutermost = (path: string) => path.lastIndexOf('node_modules/') === 0

/** Those at the top of `node_modules` after `npm ci --omit=dev`; they bring those inside them. */
export const listProductPackages = (): string[] =>
  Object.keys(lock).filter((path) => isOutermost(path) && !lock[path]?.dev && isInstalled(path))

/** Those at the top of `node_modules` after `npm ci -w FOLDER --omit=dev`, the package itself among them. */
export function listInstalled(folder: string): string[] {
  const paths = new Set<string>([folder])
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies } = lock[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = findPackage(path, name)
      if (!found) continue
      paths.add(found)
      const own = lock[found]?.link && lock[found].resolved
      if (own) paths.add(own)
    }
  }
  const own = Object.keys(lock).find((path) => lock[path]?.link && lock[path].resolved === folder)
  return [...paths, own ?? ''].filter((path) => isOutermost(path) && isInstalled(path)).sort()
}

/** Where Node finds it for the package at `path`: in its own `node_modules`, or in one further out. */
function findPackage(path: string, name: string): string | undefined {
  const inner = `${path}/node_modules/${name}`
  if (lock[inner]) return inner
  const outer = path.lastIndexOf('/node_modules/')
  if (outer > 0) return findPackage(path.slice(0, outer), name)
  return lock[`node_modules/${name}`] && `node_modules/${name}`
}
