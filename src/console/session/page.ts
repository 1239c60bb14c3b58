// The frame of the log-in pages, and the parts of their forms. The pages work without scripts; a
// script adds buttons that show passwords.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../accounts/user/password.ts'
import { LACKS, type Lacks } from '../../accounts/user/second-factor.ts'
import { serveAssets } from '../../http/assets.ts'
import { Refusal, refusal } from '../../values/errors.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'

const STYLE = new URL('pages.css', import.meta.url)
const SCRIPT = new URL('../client/console.ts', import.meta.url)

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
}

export class PlainPages {
  readonly #assets: () => Promise<readonly string[]>

  constructor(pages: FastifyInstance) {
    this.#assets = serveAssets(pages, '/login/assets', [STYLE, SCRIPT])
  }

  async send(reply: FastifyReply, { title, body, status = 200 }: Page): Promise<FastifyReply> {
    const [style, script] = await this.#assets()
    void reply
      .status(status)
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'same-origin')
      .type('text/html; charset=utf-8')
    const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} · Corridor</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`
    return reply.send(page.text)
  }

  /** Shows the form again, below the refusal. Throws every other error on. */
  sendRefused(reply: FastifyReply, error: unknown, { title, body }: Page): Promise<FastifyReply> {
    if (!(error instanceof Refusal)) throw error
    if (error.retry_after_s !== undefined) void reply.header('retry-after', error.retry_after_s)
    const again = html`<p role="alert">${error.message}</p>${body}`
    return this.send(reply, { title, body: again, status: error.status })
  }
}

export function newPasswordField(label: string, name: string, more: Content = ''): Html {
  return html`<label>${label} <input name="${name}" type="password" autocomplete="new-password"
  minlength="${MIN_PASSWORD}" maxlength="${MAX_PASSWORD}" required${more}></label>
<p>${MIN_PASSWORD} characters or more; a few words are good.</p>`
}

export function passwordField(label: string, name: string, more: Content = ''): Html {
  return html`<label>${label}
  <input name="${name}" type="password" autocomplete="current-password" required${more}></label>`
}

/** Refuses (400) a new password that is too short or too long. */
export function checkNewPassword(password: string, name: string): void {
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return
  const message = `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`
  throw refusal('invalid_field', message, name)
}

/** `next` if it is a page of the console, never another site. */
export function placeAfter(next: string): string {
  return /^\/console(\/[\w/.?&=%+-]*)?$/.test(next) ? next : '/console'
}

/** Where a person gives, or enrols, what the session lacks; `next` is the page after it. */
export function placeOf(lacks: Lacks, next: string): string {
  const path = lacks === 'code' ? '/login/code' : '/login/second-factor'
  return `${path}?${new URLSearchParams({ next: placeAfter(next) })}`
}

/** The page for a refusal by what a session lacks; undefined for another refusal. */
export function placeFor({ problems }: Refusal, next: string): string | undefined {
  const lacks = LACKS.find(one => problems.some(({ reason }) => reason === `${one}_needed`))
  return lacks && placeOf(lacks, next)
}

/** Empty for a request without a form. */
export function formOf({ body }: { readonly body: unknown }): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}
