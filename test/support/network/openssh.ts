// Starts a real OpenSSH server on a free port, with a host key and a log-in key in a folder.
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
  /** The fingerprint, as ssh-keygen -l prints it. */
  readonly host_key: string
  /** The private key for the log-in, as PEM. */
  readonly private_key: string
  close(): Promise<void>
}

/** The uid for file access when root starts the server: root itself would ignore permissions. */
export const NOBODY = 65_534

export interface OpenSshOptions {
  /** A free port when left out. */
  readonly port?: number
  /** Uses another host key than the folder's usual one. */
  readonly other_host_key?: boolean
  /** The uid of the SFTP server when root starts it: NOBODY, or root. */
  readonly files_of?: number
}

/** Keeps its keys in `folder` for later starts; serves the files of the whole machine. */
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
  let output = ''
  child.stderr?.on('data', piece => {
    output += piece
  })
  await until('sshd listens', () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${output}`)
    return output.includes('Server listening')
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
