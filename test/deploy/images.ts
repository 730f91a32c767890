// deploy/Dockerfile, instruction by instruction, into folders: an image is what its COPY lines bring, and what its RUN lines make of it.

import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readWorkspaces } from '../link-packages.ts'
import { listInstalled, listProductPackages, lock } from './lock-file.ts'

export interface Image {
  /** Its file system. */
  root: string
  workdir: string
  env: Record<string, string>
  command: string[]
  /** The command that checks its health. */
  healthcheck: string[]
  user: string
  stopSignal: string
}

const STAND_INS = (packages: string): Record<string, string> => ({
  // That of the base image.
  node: `exec ${process.execPath} "$@"`,
  npm: `case "$*" in
    "ci --omit=dev") exec cp -a ${packages}/all node_modules;;
    "ci -w "*" --omit=dev") exec cp -a ${packages}/$3 node_modules;;
    "cache clean --force") ;;
    *) exit 1;;
  esac`,
  // Without root the owner cannot be changed.
  install:
    'args=""; while [ $# -gt 0 ]; do case $1 in -o|-g) shift;; *) args="$args $1";; esac; shift; done; exec /usr/bin/install $args',
})

/** Puts them into a folder that a PATH can name. */
function createStandIns(folder: string): string {
  const packages = join(folder, 'packages')
  linkPackages(join(packages, 'all'), listProductPackages())
  for (const own of readWorkspaces().values()) linkPackages(join(packages, own), listInstalled(own))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(STAND_INS(packages))) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

/** Into a folder that will be `node_modules`. Links to our own packages are relative, as npm makes them. */
function linkPackages(folder: string, paths: string[]): void {
  for (const path of paths) {
    const to = join(folder, path.replace(/^node_modules\//, ''))
    mkdirSync(dirname(to), { recursive: true })
    const own = lock[path]?.link && lock[path].resolved
    symlinkSync(own ? join('..', '..', own) : join(projectRoot, path), to)
  }
}

/** Those named by `AS`. Throws at an instruction that it does not know, and at a command that fails. */
export function buildImages(dockerfile: string, folder: string): { images: Map<string, Image>; bin: string } {
  const bin = createStandIns(folder)
  const images = new Map<string, Image>()
  let image: Image | undefined
  for (const line of dockerfile.split('\n')) {
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (line === '' || line.startsWith('#')) continue
    if (instruction === 'FROM') {
      const [from = '', , name = ''] = rest.split(' ')
      image = startFrom(images.get(from), join(folder, name))
      images.set(name, image)
    } else if (image) performInstruction(image, instruction, rest, { images, bin })
    else throw new Error(`${line} stands before the first FROM`)
  }
  return { images, bin }
}

function startFrom(base: Image | undefined, root: string): Image {
  const none = { workdir: '/', env: {}, command: [], healthcheck: [], user: 'root', stopSignal: 'SIGTERM' }
  mkdirSync(root)
  if (base) cpSync(base.root, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return { ...(base ?? none), env: { ...base?.env }, root }
}

function performInstruction(
  image: Image,
  instruction: string,
  rest: string,
  { images, bin }: { images: Map<string, Image>; bin: string },
): void {
  const resolvePath = (path: string) => join(image.root, path.startsWith('/') ? '' : image.workdir, path)
  switch (instruction) {
    case 'WORKDIR':
      image.workdir = rest
      return void mkdirSync(resolvePath(rest), { recursive: true })
    case 'ENV':
      for (const pair of rest.split(' ')) image.env[pair.split('=', 1)[0] ?? ''] = pair.replace(/^[^=]+=/, '')
      return
    case 'COPY': {
      const words = rest.split(' ')
      const from = words[0]?.startsWith('--from=') && images.get(words.shift()?.slice('--from='.length) ?? '')
      const to = words.pop() ?? ''
      for (const word of words)
        cpSync(
          join(from ? from.root : projectRoot, word),
          resolvePath(to.endsWith('/') ? join(to, basename(word)) : to),
          { recursive: true, verbatimSymlinks: true },
        )
      return
    }
    case 'RUN': {
      // Its paths from the root are those of the image.
      const command = rest.replaceAll(/(?<= )\/(?=\w)/g, `${image.root}/`)
      const env = { ...image.env, PATH: `${bin}:/usr/bin:/bin`, HOME: image.root }
      return void execFileSync('sh', ['-ec', command], {
        cwd: resolvePath(image.workdir),
        env,
        stdio: 'pipe',
      })
    }
    case 'USER':
      image.user = rest
      return
    case 'STOPSIGNAL':
      image.stopSignal = rest
      return
    case 'HEALTHCHECK':
      image.healthcheck = JSON.parse(rest.replace(/^.* CMD /, ''))
      return
    case 'CMD':
      image.command = JSON.parse(rest)
      return
    case 'EXPOSE':
    case 'VOLUME':
      return
    default:
      throw new Error(`${instruction} is not known here`)
  }
}

/** Every file of an image with when it was written last; of packages only that they are there. */
export const listImageFiles = ({ root }: Image): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path.slice(root.length)} ${statSync(path).mtimeMs}`)
