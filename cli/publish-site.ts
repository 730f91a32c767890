// `npm run publish:site`: builds the documentation as a site and pushes it to the branch `gh-pages` of REMOTE, as a folder of that branch:
// `vX.Y.Z` for a tag, else `next`. The root of the branch leads to the last version. Folders of other versions stay as they are.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot } from './build/root.ts'

const branch = 'gh-pages'

/** By name, with what it is. */
const VARIABLES = {
  REMOTE: 'where to push, with its credential',
  REPOSITORY: 'owner/name: the site is served below /name/',
  REF: 'the name of the tag or branch',
  SOURCE: 'the address of the files of this version, for links to code',
}
type Variables = Record<keyof typeof VARIABLES, string>

await runCommand(() => {
  const { REMOTE: remote, REPOSITORY: repository, REF: ref, SOURCE: source } = readVariables()
  const address = `/${repository.split('/').slice(1).join('/')}`
  const version = /^v\d/.test(ref) ? ref : 'next'
  const work = mkdtempSync(join(tmpdir(), 'publish-site-'))
  try {
    checkOut(remote, work)
    mkdirSync(join(work, version), { recursive: true })
    const others = listVersions(work).flatMap((name) => ['--version', `${name}=${address}/${name}/`])
    build(['--base', `${address}/${version}/`, '--source', source, ...others])
    rmSync(join(work, version), { recursive: true })
    cpSync(join(projectRoot, '.build', 'site', 'out'), join(work, version), { recursive: true })
    writeFileSync(join(work, 'index.html'), writeWayTo(listVersions(work)[0] ?? version))
    // The host of the pages would leave files out whose name begins with an underscore.
    writeFileSync(join(work, '.nojekyll'), '')
    push(remote, work, ref)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

function readVariables(): Variables {
  const missing = Object.entries(VARIABLES).filter(([name]) => !process.env[name])
  if (missing.length > 0) {
    const lines = missing.map(([name, meaning]) => `  ${name}  ${meaning}`)
    throw new OperatorError(['These variables must be set:', ...lines].join('\n'))
  }
  return process.env as Variables
}

function checkOut(remote: string, folder: string): void {
  const there = run('git', ['ls-remote', '--exit-code', remote, `refs/heads/${branch}`], [0, 2]) === 0
  if (there) run('git', ['clone', '--quiet', '--depth', '1', '--branch', branch, remote, folder])
  else run('git', ['init', '--quiet', `--initial-branch=${branch}`, folder])
}

/** The newest release first, then those before a release, and last what is `next`. */
function listVersions(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /^v\d|^next$/.test(name))
  const rank = (name: string) => (name === 'next' ? 2 : name.includes('-') ? 1 : 0)
  return names.sort((a, b) => rank(a) - rank(b) || b.localeCompare(a, 'en', { numeric: true }))
}

function build(options: string[]): void {
  run(process.execPath, [join(projectRoot, 'cli', 'build-site.ts'), ...options])
}

function writeWayTo(version: string): string {
  const address = `${version}/`
  return `<!doctype html>
<title>msgnet gateway</title>
<meta http-equiv="refresh" content="0; url=${address}">
<a href="${address}">msgnet gateway</a>
`
}

function push(remote: string, folder: string, ref: string): void {
  const author = ['-c', 'user.name=site', '-c', 'user.email=site@localhost']
  run('git', ['-C', folder, 'add', '--all'])
  run('git', ['-C', folder, ...author, 'commit', '--quiet', '--allow-empty', '--message', `site: ${ref}`])
  run('git', ['-C', folder, 'push', '--quiet', remote, `HEAD:${branch}`])
}

/** Returns the exit status. What the program printed says why it failed; its options are not logged, because REMOTE contains a credential. */
function run(program: string, options: string[], expected = [0]): number | null {
  const { status, error } = spawnSync(program, options, { cwd: projectRoot, stdio: 'inherit' })
  if (error) throw error
  if (status === null || !expected.includes(status))
    throw new OperatorError(`The site was not published: ${basename(program)} ended with ${status}.`)
  return status
}
