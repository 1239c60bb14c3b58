// What the database says of the payouts of a batch, read by plain SQL, and what is wrong with that by
// the ledgers of the providers.
import type { Sql } from '../../src/sql/connect.ts'
import type { Provider, Truth, World } from './provider.ts'

interface Attempt {
  readonly number: number
  readonly rail: string
  readonly ended_as: string
}

interface Exception {
  readonly number: number
  readonly kind: string
  readonly is_open: boolean
}

export interface Seen {
  readonly account_id: string
  readonly id: string
  readonly status: string
  readonly rail: string
  /** Whether its rail is to be asked again, at whatever time. */
  readonly is_asked: boolean
  readonly attempts: readonly Attempt[]
  /** The last one. */
  readonly attempt: Attempt | undefined
  readonly exceptions: readonly Exception[]
}

/** By id. */
export async function look(
  sql: Sql,
  account_ids: readonly string[],
): Promise<ReadonlyMap<string, Seen>> {
  const rows = await sql<Omit<Seen, 'attempt'>[]>`
    select p.account_id, p.id, s.status, s.rail, o.ask_rail_at is not null as is_asked,
      (select coalesce(json_agg(json_build_object('number', a.number, 'rail', a.rail,
          'ended_as', a.ended_as) order by a.number), '[]') from payout_attempts a
        where a.account_id = p.account_id and a.payout_id = p.id) as attempts,
      (select coalesce(json_agg(json_build_object('number', e.number, 'kind', e.kind,
          'is_open', e.closed_at is null) order by e.number), '[]') from rail_exceptions e
        where e.account_id = p.account_id and e.payout_id = p.id) as exceptions
    from payouts p
    left join payout_states s on s.account_id = p.account_id and s.id = p.id
    left join open_payouts o on o.account_id = p.account_id and o.id = p.id
    where p.account_id = any (${[...account_ids]}::text[])`
  return new Map(rows.map(row => [row.id, { ...row, attempt: row.attempts.at(-1) }]))
}

interface Known {
  readonly truth: Truth
  readonly providers: readonly Provider[]
  readonly underway: World['underway']
  /** The account's time. */
  readonly now_ms: number
  readonly lies: boolean
  readonly is_over: boolean
}

const OPEN = ['processing', 'requires_action', 'compliance_hold']

/** What is wrong with a payout, in words; [] when nothing is. */
export function wrongWith(seen: Seen, known: Known): string[] {
  const { truth, lies } = known
  const live = seen.attempts.filter(({ ended_as }) => ended_as === '' || ended_as === 'paid')
  const words: string[] = []
  if (live.length > 1) words.push('two attempts are open or paid')
  if (isStuck(seen, known)) words.push('its money is held, and nobody asks and nobody is told')
  const is_told = seen.exceptions.some(({ is_open }) => is_open)
  const is_back = seen.status === 'failed' || seen.status === 'reversed'
  const net = truth.paid - truth.returned
  if (lies) {
    const ends_wrong = endsWrong(seen, net) && !isForgotten(seen, known)
    const is_wrong = truth.paid > 1 || (is_back ? net !== 0 : ends_wrong)
    return known.is_over && is_wrong && !is_told
      ? [...words, 'a lie that nobody is told of']
      : words
  }
  if (truth.paid > 1) words.push('paid twice')
  if (is_back && net !== 0) words.push('paid, and refunded')
  if (seen.status === 'succeeded' && truth.paid === 0) words.push('succeeded without a payment')
  const may = seen.attempts.filter(attempt => mayPay(seen.id, attempt, known))
  const last = seen.status === 'failed' ? undefined : seen.attempt
  for (const { number, rail } of may) {
    if (number !== last?.number) words.push(`attempt ${number} may still be paid by ${rail}`)
  }
  if (known.is_over && endsWrong(seen, net) && !isForgotten(seen, known))
    words.push('it did not end as it was paid')
  return words
}

/** Not what the ledgers say, once everything is known. */
function endsWrong({ status }: Seen, net: number): boolean {
  return status === 'succeeded' ? net !== 1 : net !== 0
}

/** Its provider has said that it was paid, and cannot say any more what has become of it since. */
function isForgotten({ id, status, attempt }: Seen, { providers, now_ms }: Known): boolean {
  const provider = providers.find(({ name }) => name === attempt?.rail)
  const has_forgotten = provider?.hasForgotten(`${id}-${attempt?.number}`, now_ms)
  return status === 'succeeded' && has_forgotten === true
}

function mayPay(id: string, { number, rail }: Attempt, { providers }: Known): boolean {
  const provider = providers.find(({ name }) => name === rail)
  return provider?.mayPay(`${id}-${number}`) === true
}

/** Its money is held, no question is to be asked, and no person has reason to look. */
function isStuck(seen: Seen, { providers }: Known): boolean {
  const { status, rail, attempt, is_asked } = seen
  if (!OPEN.includes(status) || rail === 'manual') return false
  if (seen.exceptions.some(({ is_open }) => is_open)) return false
  const is_live = attempt === undefined || (attempt.ended_as === '' && attempt.rail === rail)
  if (is_asked) return !is_live
  // The account is asked for something, or a provider that speaks by itself has it and has news to come.
  if (status === 'requires_action') return !is_live
  const provider = providers.find(({ name }) => name === rail)
  return !(is_live && provider?.options.is_woken === true)
}
