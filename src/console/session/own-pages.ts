// The pages on which people who are logged in change how they log in.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../../values/text/html.ts'
import { factorPages } from './factor-pages.ts'
import { changePassword } from './operations.ts'
import {
  checkNewPassword,
  formOf,
  newPasswordField,
  type PlainPages,
  passwordField,
} from './page.ts'
import { type Needs, ofSession, setCookies } from './routes.ts'

const OWN = { config: { scope: 'person', ofSession: true } } as const

export function ownPages(pages: FastifyInstance, deps: Needs, plain: PlainPages): void {
  passwordPages(pages, deps, plain)
  factorPages(pages, deps, plain)
}

const PASSWORD_PAGE = {
  title: 'Change your password',
  body: html`<form method="post" action="/login/password">
${passwordField('Your present password', 'password', html` autofocus`)}
${newPasswordField('New password', 'new_password')}
<button>Change the password</button>
</form>
<p>Your other sessions end.</p>
<p><a href="/login">Back</a></p>`,
}

function passwordPages(pages: FastifyInstance, deps: Needs, plain: PlainPages): void {
  pages.get('/login/password', OWN, async (_request, reply) => plain.send(reply, PASSWORD_PAGE))
  pages.post('/login/password', OWN, async (request, reply) => {
    const form = formOf(request)
    const password = form.get('password') ?? ''
    const new_password = form.get('new_password') ?? ''
    try {
      checkNewPassword(new_password, 'new_password')
      const change = { password, new_password }
      setCookies(
        request,
        reply,
        await changePassword(deps, ofSession(request).open, change, request.ip),
      )
    } catch (error) {
      return plain.sendRefused(reply, error, PASSWORD_PAGE)
    }
    return sendDone(plain, reply, 'Your password is changed. Your other sessions are over.')
  })
}

function sendDone(plain: PlainPages, reply: FastifyReply, words: string) {
  const body = html`<p role="status">${words}</p><p><a href="/console">To the console</a></p>`
  return plain.send(reply, { title: 'Your log-in', body })
}
