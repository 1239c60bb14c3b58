// The ways to people: e-mail by SMTP, and a webhook that takes Slack's form, {"text": …}.
import { setTimeout as delay } from 'node:timers/promises'
import type { Mail, PeoplesWebhook } from '../config/notifying.ts'
import { exchange } from '../webhooks/exchange.ts'
import { type Message, SendFailed, type Way } from './notification.ts'

/** From the connection to the end of the answer. */
export const TIMEOUT_MS = 20_000

export function emailWay(mail: Mail): Way {
  return {
    name: 'email',
    async send({ subject, text }) {
      // Imported only here, to save its memory without e-mail.
      const { createTransport } = await import('nodemailer')
      const { host, port, secure, user, password, from, to } = mail
      const transport = createTransport({
        ...{ host, port, secure, requireTLS: mail.require_tls },
        ...(user !== '' && { auth: { user, pass: password } }),
        ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS },
        ...{ socketTimeout: TIMEOUT_MS, dnsTimeout: TIMEOUT_MS },
        // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
        tls: { rejectUnauthorized: true },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        const sent = transport.sendMail({ from, to: [...to], subject, text })
        // nodemailer bounds each phase; a slow server must not outlive the claim.
        const late = delay(TIMEOUT_MS, 'late', { ref: false })
        if ((await Promise.race([sent, late])) === 'late')
          throw Object.assign(new Error('late'), { code: 'ETIMEDOUT' })
      } catch (error) {
        throw new SendFailed(mailFault(error))
      } finally {
        transport.close()
      }
    },
  }
}

/** The code and the server's number alone: a server's words may name a person. */
function mailFault(error: unknown): string {
  const { code = 'failed', responseCode } = error as { code?: string; responseCode?: number }
  return `smtp: ${[code, responseCode].filter(Boolean).join(' ')}`
}

const SIZE = { read_bytes: 4096, kept_bytes: 0 }

export function webhookWay({ url, allow_private }: PeoplesWebhook): Way {
  return {
    name: 'webhook',
    async send({ text }: Message) {
      const { answer, error } = await exchange(
        {
          ...{ url, allow_private, timeout_ms: TIMEOUT_MS },
          headers: { 'content-type': 'application/json', 'user-agent': 'Corridor' },
          body: JSON.stringify({ text }),
        },
        SIZE,
      )
      if (answer === null) throw new SendFailed(`webhook: ${error}`)
      const { status_code } = answer
      if (status_code > 299) throw new SendFailed(`webhook: answered ${status_code}`)
    },
  }
}
