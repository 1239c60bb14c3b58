// A real OpenSSH server on a free port, over a folder, with a host key and a log-in of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { until } from '../service/process.ts'
import { freePort } from './port.ts'

const SSHD = '/usr/sbin/sshd'
const SFTP_SERVERS = ['/usr/lib/openssh/sftp-server', '/usr/libexec/sftp-server']

/** Whether this machine has an OpenSSH server. */
export const HAS_OPENSSH = existsSync(SSHD) && SFTP_SERVERS.some(existsSync)

export interface OpenSsh {
  readonly port: number
  readonly user: string
  /** As ssh-keygen -l prints it. */
  readonly host_key: string
  /** PEM of the key that may log in. */
  readonly private_key: string
  close(): Promise<void>
}

/** The user of files when root started the server, so that permissions mean something. */
export const NOBODY = 65_534

export interface OpenSshOptions {
  /** Any free one, if not said. */
  readonly port?: number
  /** Instead of the key by which the server of this folder is known. */
  readonly other_host_key?: boolean
  /** Whose files they are when root starts it: NOBODY, or root itself. */
  readonly files_of?: number
}

/** `folder` holds its keys, which stay; its files are those of the machine. */
export async function startOpenSsh(folder: string, options: OpenSshOptions = {}): Promise<OpenSsh> {
  const keys = join(folder, 'keys')
  await mkdir(keys, { recursive: true })
  const host = join(keys, options.other_host_key === true ? 'other-host' : 'host')
  const login = join(keys, 'login')
  for (const path of [host, login]) {
    if (existsSync(path)) continue
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
  }
  const authorized = join(keys, 'authorized')
  await writeFile(authorized, await readFile(`${login}.pub`), { mode: 0o600 })
  const port = options.port ?? (await freePort())
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true })
  const config = join(folder, 'sshd_config')
  await writeFile(config, configOf({ port, host, authorized, pid: join(folder, 'pid') }, options))
  const child = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr?.on('data', piece => {
    said += piece
  })
  await until('sshd listens', () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`)
    return said.includes('Server listening')
  })
  const printed = execFileSync('ssh-keygen', ['-l', '-f', `${host}.pub`], { encoding: 'utf8' })
  return {
    port,
    user: userInfo().username,
    host_key: printed.split(' ')[1] ?? '',
    private_key: await readFile(login, 'utf8'),
    close: () => ended(child),
  }
}

function configOf(
  at: { port: number; host: string; authorized: string; pid: string },
  { files_of = 0 }: OpenSshOptions,
): string {
  const as_other = userInfo().uid === 0 && files_of !== 0
  const ids = `--reuid=${files_of} --regid=${files_of} --clear-groups`
  const server = `${as_other ? `/usr/bin/setpriv ${ids} ` : ''}${SFTP_SERVERS.find(existsSync)}`
  return [
    `Port ${at.port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at.host}`,
    `PidFile ${at.pid}`,
    `AuthorizedKeysFile ${at.authorized}`,
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'PermitRootLogin yes',
    `Subsystem sftp ${server}`,
    '',
  ].join('\n')
}

async function ended(child: ChildProcess): Promise<void> {
  const over = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  if (child.exitCode === null) await over
}
