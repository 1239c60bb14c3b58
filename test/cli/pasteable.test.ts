// Commands that a help or a start prints to be pasted: the shell of the reader finds them, however
// the product was installed and called.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMMAND = join(ROOT, 'bin/corridor')
const PATH = '/usr/bin:/bin'

const folder = await realpath(await mkdtemp(join(tmpdir(), 'corridor-pasteable-')))
after(() => rm(folder, { recursive: true }))

/** The command in the help of `corridor start`, after its variables. */
function exampleOf(cwd: string, path: string): string {
  const env = { PATH: path, HOME: folder }
  const help = execFileSync(COMMAND, ['start', '--help'], { cwd, env, encoding: 'utf8' })
  const [, example = ''] = /^ {2}PORT=8080 CORRIDOR_DATA=\S+ (.*) start$/m.exec(help) ?? []
  execFileSync('/bin/sh', ['-c', `${example} --version`], { cwd, env })
  return example
}

test('help, command not on the PATH: its example has the path of the command, from the folder in use', () => {
  assert.equal(exampleOf(ROOT, PATH), 'bin/corridor')
  // The shell would look for a bare name on the PATH alone.
  assert.equal(exampleOf(join(ROOT, 'bin'), PATH), './corridor')
  assert.equal(exampleOf(folder, PATH), COMMAND)
  // npm puts such a folder on the PATH of what it starts.
  assert.equal(exampleOf(ROOT, `${ROOT}node_modules/.bin:${PATH}`), 'bin/corridor')
})

test('help, command on the PATH by a link: its example says corridor', async () => {
  const linked = await mkdtemp(join(folder, 'linked-'))
  await symlink(COMMAND, join(linked, 'corridor'))
  assert.equal(exampleOf(ROOT, `${linked}:${PATH}`), 'corridor')
})

test('help, another corridor on the PATH before it: its example has the path of the command', async () => {
  const other = await mkdtemp(join(folder, 'other-'))
  await writeFile(join(other, 'corridor'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  assert.equal(exampleOf(ROOT, `${other}:${join(ROOT, 'bin')}:${PATH}`), 'bin/corridor')
})
