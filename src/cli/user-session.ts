// corridor user login-link|log-out: how a person comes in for the first time, and is sent out at
// once.
import type { Command } from 'commander'
import type { Instant } from '../instant.ts'
import { logOutUser, makeLoginLink } from '../operator/users.ts'
import { LINK_MINUTES, LINK_PATH } from '../user/session.ts'
import { named, print, withContext } from './context.ts'
import { toSecond } from './table.ts'

const LINK_HELP = `
The link is good once, and for ${LINK_MINUTES} minutes; it ends those made before. Whoever
opens it sets the user's password and is logged in, so give it to nobody else.
HOST and PORT are those of the service here; behind a proxy the name differs.

Example:
  npx corridor user login-link mary`

export function userSessionCommands(user: Command): void {
  named(user, 'login-link', 'print a link by which a user sets a password and logs in')
    .argument('<user>', 'the user')
    .addHelpText('after', LINK_HELP)
    .action(linkAction)
  named(user, 'log-out', 'end every session of a user at once')
    .argument('<user>', 'the user')
    .addHelpText('after', '\nExample:\n  npx corridor user log-out mary')
    .action(async (name: string) => {
      const ended = await withContext(({ sql }) => logOutUser(sql, name))
      const words = `${name}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended`
      print({ user: name, ended }, words)
    })
}

async function linkAction(name: string): Promise<void> {
  const { host, port, made } = await withContext(async ({ sql, config }) => {
    const { host, port } = config
    return { host, port, made: await makeLoginLink(sql, name) }
  })
  const { token, expires_at } = made
  const link = `http://${nameOf(host)}:${port}${LINK_PATH}${token}`
  print({ user: name, link, expires_at }, linkWords(link, expires_at))
}

function linkWords(link: string, expires_at: Instant): string {
  return `${link}\ngood once, until ${toSecond(expires_at)}`
}

/** A service that listens on every address is reached by this machine's name. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
