// Tells Corridor that a payment has news. The webhook carries no news: Corridor asks. It may fail,
// because Corridor asks without it, too, only later.
import { randomUUID } from 'node:crypto'
import type { Entry } from './book.ts'
import { sign } from './signing.ts'

/** `url`: https://corridor.example/connector/RAIL/webhook */
export async function wakeCorridor(url: string, secret: string, entry: Entry): Promise<void> {
  // The step is on disk before Corridor asks for it.
  await entry.stored
  const body = JSON.stringify({ account: entry.order.account, id: entry.id })
  const id = randomUUID()
  const now_s = Math.floor(Date.now() / 1000)
  const { status } = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(now_s),
      'webhook-signature': sign(secret, id, now_s, body),
    },
    body,
  })
  if (status !== 200) throw new Error(`${url} answered ${status}`)
}
